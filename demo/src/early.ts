// Runs before the first paint, so that neither colours, language nor tab flash: the choices of the last visit, or those of the link.
import { chosenLanguage } from './i18n/choice';
import { isTab } from './tab-names';
import { chosenTheme } from './theme-choice';

document.documentElement.lang = chosenLanguage();
const tab = location.hash.slice(1).split('?', 1)[0];
if (isTab(tab)) document.documentElement.dataset.tab = tab;
const theme = chosenTheme();
if (theme) document.documentElement.dataset.theme = theme;
