/**
 * Programs that run in the page, in a world of their own: the page's programs can't change their variables. They are texts, because
 * they run in a browser and not here.
 */

/** Returns `{ title, url, text }` of the page: what a person sees, with a number for each element that can be used. */
export const READ_PAGE = `(() => {
  const USABLE = 'a[href],button,input:not([type=hidden]),textarea,select,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=option],[role=combobox],[role=switch],[contenteditable=true]';
  const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD']);
  const used = (globalThis.berthElements = []);
  const out = [];
  const oneLine = (text) => String(text ?? '').replace(/\\s+/g, ' ').trim().slice(0, 150);
  const nameOf = (element) =>
    oneLine(element.getAttribute('aria-label') || element.labels?.[0]?.innerText || (element.tagName === 'SELECT' || element.tagName === 'TEXTAREA' ? '' : element.innerText) || element.placeholder || element.title || element.querySelector?.('img')?.alt || element.name);
  const kindOf = (element) =>
    element.getAttribute('role') || (element.tagName === 'A' ? 'link' : element.tagName === 'INPUT' ? element.type : element.tagName.toLowerCase());
  const stateOf = (element) => {
    if (element.type === 'password') return '';
    if (element.type === 'checkbox' || element.type === 'radio') return element.checked ? ' (checked)' : '';
    if (element.tagName === 'SELECT') {
      const options = [...element.options].slice(0, 30).map((option) => oneLine(option.text));
      return ' = ' + oneLine(element.selectedOptions[0]?.text) + ' (of: ' + options.join(', ') + ')';
    }
    const isText = element.tagName === 'TEXTAREA' || (element.tagName === 'INPUT' && !['submit', 'button', 'reset', 'image'].includes(element.type));
    return isText && element.value ? ' = ' + oneLine(element.value) : '';
  };
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return void out.push(node.data.replace(/\\s+/g, ' '));
    if (node.nodeType !== Node.ELEMENT_NODE || SKIPPED.has(node.tagName)) return;
    const { display } = getComputedStyle(node);
    if (display === 'none' || (display !== 'contents' && !node.checkVisibility({ visibilityProperty: true }))) return;
    if (node.matches(USABLE)) {
      used.push(node);
      const button = node.tagName === 'INPUT' && ['submit', 'button', 'reset'].includes(node.type) ? oneLine(node.value) : '';
      out.push(' [' + used.length + '] ' + kindOf(node) + ': ' + (nameOf(node) || button) + stateOf(node) + (node.disabled ? ' (disabled)' : '') + ' ');
      return;
    }
    if (node.tagName === 'IMG') return void (node.alt && out.push(' [image: ' + oneLine(node.alt) + '] '));
    const isBlock = !display.startsWith('inline') && display !== 'contents';
    if (isBlock) out.push('\\n');
    if (/^H[1-6]$/.test(node.tagName)) out.push('#'.repeat(Number(node.tagName[1])) + ' ');
    if (node.tagName === 'LI') out.push('- ');
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child);
    out.push(isBlock ? '\\n' : node.tagName === 'TD' || node.tagName === 'TH' ? ' | ' : '');
  };
  if (document.body) walk(document.body);
  const text = out.join('').replace(/[ \\t]+/g, ' ').replace(/ ?\\n[ \\n]*/g, '\\n').trim();
  return { title: oneLine(document.title), url: location.href, text };
})()`;

/** Returns a call that scrolls to an element and returns the point to click, or null when it is gone. */
export function locate(ref: number): string {
  return `((element) => {
  if (!element?.isConnected) return null;
  for (const one of [element, element.form]) one?.removeAttribute('target');
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = [...element.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
  return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
})(globalThis.berthElements?.[${ref - 1}])`;
}

/**
 * Returns a call that prepares an element for text: chooses the option of a list (`chosen`), else focuses it and selects its text
 * (`typed`). Null when the element is gone, and `none` when it takes no text.
 */
export function prepareText(ref: number, text: string): string {
  return `((element, text) => {
  if (!element?.isConnected) return null;
  if (element.tagName === 'SELECT') {
    const option = [...element.options].find((one) => one.text.trim() === text || one.value === text);
    if (!option) return 'none';
    element.value = option.value;
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
    return 'chosen';
  }
  if (!element.isContentEditable && !('value' in element && 'select' in element)) return 'none';
  element.focus();
  if (element.select) element.select();
  else getSelection().selectAllChildren(element);
  return 'typed';
})(globalThis.berthElements?.[${ref - 1}], ${JSON.stringify(text)})`;
}

/**
 * Runs in each page before its own programs: what would open in a new tab opens in this one, and there are no connections but
 * requests.
 */
export const ONE_TAB = `for (const name of ['WebSocket', 'WebTransport', 'RTCPeerConnection', 'webkitRTCPeerConnection']) delete window[name];
window.open = (url) => { if (url) location.assign(url); return null; };`;
