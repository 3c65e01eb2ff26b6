import { element } from '../element.ts';

/** Code as it is, with its language and a button that copies it. */
export function renderCode(code: string, language = ''): HTMLElement {
  const copy = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      async onClick() {
        try {
          await navigator.clipboard.writeText(code);
          copy.textContent = 'Copied';
        } catch {
          copy.textContent = 'Not copied';
        }
      },
    },
    'Copy',
  );
  return element(
    'figure',
    { class: 'code' },
    element('figcaption', {}, element('span', {}, language || 'code'), copy),
    element('pre', { tabindex: 0, dir: 'ltr' }, element('code', {}, code.replace(/\n$/, ''))),
  );
}
