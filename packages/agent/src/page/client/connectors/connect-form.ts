import type { ConnectorRow, GrantScope } from '@berth/contract/agent';
import type { Api } from '../api.ts';
import { element } from '../element.ts';
import { awaitSignIn } from './await-sign-in.ts';

export interface ConnectFormOptions {
  readonly api: Api;
  readonly connector: Pick<ConnectorRow, 'name' | 'auth' | 'title'>;
  /** Whose connection is made; the connector's own rule decides without it. */
  readonly scope?: GrantScope | undefined;
  /** Called once, when it is connected. */
  onConnected(): void;
}

/** What connects a connector: a sign-in in a window of its own, or a key that is typed in. */
export function renderConnectForm(options: ConnectFormOptions): HTMLElement {
  return options.connector.auth === 'key' ? keyForm(options) : signInForm(options);
}

const pathOf = (name: string) => `/connectors/${encodeURIComponent(name)}`;

function signInForm({ api, connector, scope, onConnected }: ConnectFormOptions): HTMLElement {
  const note = element('p', { class: 'hint', role: 'status' });
  const body = element('div', { class: 'row' });
  let waiting: AbortController | undefined;
  const wait = () => {
    waiting?.abort();
    const turn = new AbortController();
    waiting = turn;
    void awaitSignIn(connector.name, turn.signal).then(() => {
      turn.abort();
      body.remove();
      note.textContent = 'Connected.';
      onConnected();
    });
  };
  const begin = async () => {
    button.disabled = true;
    // Now, as part of the click: later a browser takes it for an advertisement.
    const popup = open('about:blank', '_blank', 'popup,width=600,height=720');
    try {
      const query = scope === undefined ? '' : `?scope=${scope}`;
      // With cookies: the answer's is what the callback knows this browser by.
      const init = { method: 'POST', credentials: 'same-origin' as const };
      const { url } = await api.json<{ url: string }>(`${pathOf(connector.name)}/authorize${query}`, init);
      wait();
      note.textContent = 'Sign in in the window that has opened; this page goes on by itself.';
      if (popup) popup.location.replace(url);
      else {
        note.textContent = 'This browser opened no window. Sign in here; this page goes on by itself:';
        body.append(element('a', { href: url, target: '_blank', rel: 'noreferrer' }, `Sign in to ${connector.title}`));
      }
    } catch (error) {
      popup?.close();
      note.textContent = error instanceof Error ? error.message : 'That did not work.';
    } finally {
      button.disabled = false;
    }
  };
  const button = element('button', { type: 'button', onClick: begin }, `Connect ${connector.title}`);
  body.append(button);
  return element('div', {}, body, note);
}

function keyForm({ api, connector, scope, onConnected }: ConnectFormOptions): HTMLElement {
  const note = element('p', { class: 'hint', role: 'status' });
  const key = element('input', {
    type: 'password',
    required: true,
    autocomplete: 'off',
    'aria-label': 'Key',
    dir: 'ltr',
  });
  const endpoint = element('input', { type: 'url', dir: 'ltr', placeholder: 'https://…' });
  const button = element('button', {}, 'Connect');
  const submit = async (event: Event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await api.sendJson('PUT', `${pathOf(connector.name)}/key`, {
        key: key.value,
        ...(scope !== undefined && { scope }),
        ...(endpoint.value !== '' && { endpoint: endpoint.value }),
      });
      form.replaceChildren();
      note.textContent = 'Connected.';
      onConnected();
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : 'That did not work.';
      button.disabled = false;
    }
  };
  const form = element(
    'form',
    { onSubmit: submit },
    element('label', {}, `Key of ${connector.title} `, key),
    element(
      'details',
      {},
      element('summary', {}, 'It has an address of its own'),
      element('label', {}, 'Address ', endpoint),
    ),
    element('div', { class: 'row' }, button),
  );
  return element('div', {}, form, note);
}
