import { announce } from './dom';
import { t } from './i18n';

/** A button that copies what `text` gives, and says so in its own label for a moment. */
export function startCopyButton(button: HTMLButtonElement, text: () => string): void {
  button.addEventListener('click', async () => {
    const done = await navigator.clipboard.writeText(text()).then(() => true, () => false);
    button.textContent = t(done ? 'copied' : 'copy.failed');
    announce(button.textContent);
    setTimeout(() => { button.textContent = t('copy'); }, 1600);
  });
}
