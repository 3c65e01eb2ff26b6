// @vitest-environment happy-dom
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { CopyCode } from './copy-code.tsx';
import { CopyCommand, type CopyCommandProps } from './copy-command.tsx';

const writeText = vi.fn(async (_text: string) => {});
beforeEach(() => {
  writeText.mockClear();
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('code with a copy button', () => {
  // Fails when what is copied is what is shown, with its layout, or another text.
  test('is copied as it is', async () => {
    const code = 'berth_key_  two\nlines ';
    const view = await mountPart(createElement(CopyCode, { code }));
    await view.click(view.get('button', 'Copy'));
    expect(writeText.mock.calls).toEqual([[code]]);
  });

  // Fails when the button says “Copied” before, or for good.
  test('says that it was copied, until the focus leaves', async () => {
    const view = await mountPart(createElement(CopyCode, { code: 'x' }));
    expect(view.find('button', 'Copied')).toBeUndefined();
    await view.click(view.get('button', 'Copy'));
    const button = view.get('button', 'Copied');
    await view.focus(button);
    await view.fire('focusout', {}, button);
    expect(view.find('button', 'Copied')).toBeUndefined();
  });
});

describe('an action as a command', () => {
  const http = { method: 'POST', path: '/v1/volume/create', body: { name: 'media' } } as const;
  const open = async (props: Partial<CopyCommandProps> = {}) => {
    const view = await mountPart(createElement(CopyCommand, { http, ...props }));
    await view.click(view.get('button', 'Copy as command'));
    return view;
  };

  test('is copied for the CLI', async () => {
    const view = await open({ cli: 'npx berth volume create media' });
    await view.click(view.get('menuitem', 'berth'));
    expect(writeText.mock.calls).toEqual([['npx berth volume create media']]);
    expect(view.text()).toContain('Copied');
  });

  // Fails when the address isn't the page's own, or a credential is written out.
  test.each([
    [undefined, 'X-API-Key: $BERTH_API_KEY'],
    ['session', 'Authorization: Bearer $BERTH_SESSION_TOKEN'],
    ['bearer', 'Authorization: Bearer $BERTH_AGENT_TOKEN'],
  ] as const)('is copied for curl, with the credential %s as a variable', async (secret, header) => {
    const view = await open({ secret });
    await view.click(view.get('menuitem', 'curl'));
    const [[line = ''] = []] = writeText.mock.calls;
    expect(line).toMatch(/^curl -X POST http:\/\/berth\.test\/v1\/volume\/create /);
    expect(line).toContain(`"${header}"`);
    expect(line).toContain(`'{"name":"media"}'`);
  });

  // Fails when an entry without a command is offered: it would copy “undefined”.
  test('has no entry for the CLI where the CLI has no command', async () => {
    const view = await open();
    expect(view.all('menuitem').map(({ textContent }) => textContent)).toEqual(['curl']);
  });
});
