/**
 * Makes the styles of xterm.js work under a Content-Security-Policy without `unsafe-inline`, until the returned function is called.
 * xterm.js writes colors and sizes into `<style>` elements and `style` attributes, which such a policy refuses, and it creates them by
 * the global document. Meanwhile an element `style` stands for a constructed sheet, and the attribute `style` of a new `span` sets the
 * element's properties. The policy allows both, because no markup can do them.
 */
export function allowStyles(page: Document): () => void {
  const sheets: CSSStyleSheet[] = [];
  const create = (name: string): HTMLElement => Document.prototype.createElement.call(page, name);
  const createStyle = (): HTMLElement => {
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
    const element = create('span');
    element.hidden = true;
    return Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) });
  };
  const createElement = (name: string): HTMLElement => {
    if (name === 'style') return createStyle();
    const element = create(name);
    if (name === 'span') element.setAttribute = setAttribute;
    return element;
  };
  Object.defineProperty(page, 'createElement', { value: createElement, configurable: true });
  return () => {
    Reflect.deleteProperty(page, 'createElement');
    page.adoptedStyleSheets = page.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
