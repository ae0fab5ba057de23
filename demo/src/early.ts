// Runs before the first paint, so that neither the colours nor the language flash: the choices of the last visit, or those of the link.
import { chosenLanguage } from './i18n/choice';
import { chosenTheme } from './theme-choice';

document.documentElement.lang = chosenLanguage();
const theme = chosenTheme();
if (theme) document.documentElement.dataset.theme = theme;
