/** An SVG element with its attributes. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Readonly<Record<string, string | number>>, ...children: readonly SVGElement[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
