// The page: each part is started once, the address last, since it shows the first tab.
import { startLanguage } from './i18n';
import { startModelsTable } from './models-table';
import { startOffline } from './offline';
import { startOwnModel } from './own-model';
import { startStatus } from './status';
import { onFirstUse, startTabs } from './tabs';
import { startTheme } from './theme';
import { startTranslate } from './translate';
import { startUrl } from './url-state';

startLanguage();
startTheme();
startTabs();
startTranslate();
onFirstUse('generate', async () => (await import('./generate')).startGenerate());
onFirstUse('tokenize', async () => (await import('./tokenize')).startTokenize());
onFirstUse('attention', async () => (await import('./attention')).startAttention());
onFirstUse('understand', async () => (await import('./understand')).startUnderstand());
onFirstUse('learn', async () => (await import('./school/learn')).startLearn());
onFirstUse('machine', async () => (await import('./machine')).startMachine());
startOwnModel();
startModelsTable();
startStatus();
startUrl();
startOffline();
