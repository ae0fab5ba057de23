// What a checker of accessibility would find, for the tests that use a part of the page: see page-checks.test.mjs.

/** In the page: what is wrong with what is shown. */
export function faultsOf() {
  const faults = [];
  const told = (element) => element.outerHTML.slice(0, 90);
  const shown = [...document.body.querySelectorAll('*')]
    .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden'));

  // colours as the browser computes them, whatever they are written in
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255);
  };
  const luminance = (color) => color.slice(0, 3).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] > 0.99) return color;
    }
    return rgba('white');
  };
  for (const element of shown) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (!hasText || element.disabled || element.closest(':disabled')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(rgba(style.color)), luminance(groundOf(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${told(element)}`);
  }

  const nameOf = (element) => {
    const by = element.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
    const own = /^(input|select|textarea|progress)$/i.test(element.tagName) ? '' : element.textContent;
    return (by || element.ariaLabel || element.labels?.[0]?.textContent || own || '').trim();
  };
  for (const element of shown) {
    const needsName = element.matches('button, a, input, select, textarea, progress, [tabindex="0"], [role=grid], [role=group], table');
    if (needsName && !element.caption && nameOf(element) === '') faults.push(`no name: ${told(element)}`);
    if (element.tabIndex > 0) faults.push(`tabindex above 0: ${told(element)}`);
    for (const name of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for']) {
      for (const id of element.getAttribute(name)?.split(' ') ?? []) {
        if (!document.getElementById(id)) faults.push(`${name}: no #${id}: ${told(element)}`);
      }
    }
    if (element.matches('[aria-hidden=true] :is(button, a, input, [tabindex="0"])')) faults.push(`hidden: ${told(element)}`);
    if (!element.matches('button, select, [role=gridcell][tabindex]')) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width < 24 || height < 24) faults.push(`target of ${width} × ${height}: ${told(element)}`);
  }

  const parts = { row: ['grid'], gridcell: ['row'], tab: ['tablist'] };
  for (const element of document.querySelectorAll('[role]')) {
    const parents = parts[element.getAttribute('role')];
    if (parents && !parents.includes(element.parentElement.getAttribute('role'))) faults.push(`role out of place: ${told(element)}`);
  }
  const levels = shown.filter((element) => /^H[1-6]$/.test(element.tagName)).map((element) => Number(element.tagName[1]));
  levels.forEach((level, i) => { if (i > 0 && level > levels[i - 1] + 1) faults.push(`heading ${level} behind ${levels[i - 1]}`); });
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  faults.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two of #${id}`));
  return faults;
}

/** Tab through the whole page: where the focus is, from the top of the document. */
export async function focusPlaces(page) {
  await page.evaluate(() => { document.activeElement?.blur(); scrollTo(0, 0); });
  await page.locator('.skip').focus();
  const places = [];
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press('Tab');
    const place = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { top, bottom } = element.getBoundingClientRect();
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
      return { top: top + scrollY, bottom: bottom + scrollY, html: element.outerHTML.slice(0, 80), isSeen };
    });
    if (!place) break;
    places.push(place);
  }
  return places;
}
