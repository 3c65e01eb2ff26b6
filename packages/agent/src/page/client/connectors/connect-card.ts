import type { ConnectorRow, GrantScope, UiFrame } from '@berth/contract/agent';
import type { Api } from '../api.ts';
import { element } from '../element.ts';
import { visible } from '../visible.ts';
import { renderConnectForm } from './connect-form.ts';

/** Asks the person to connect what a turn needs; `retry` is called when it is. */
export function renderConnect(frame: UiFrame, api: Api, retry: () => void): HTMLElement {
  const name = String(frame['connector'] ?? '');
  const title = visible(String(frame['title'] ?? name));
  const scope = (['user', 'workspace'] as const).find((one): one is GrantScope => one === frame['scope']);
  const body = element('div', { role: 'status' }, '…');
  const show = async () => {
    try {
      const rows = await api.json<readonly ConnectorRow[]>('/connectors');
      const connector = rows.find((row) => row.name === name);
      if (!connector) body.replaceChildren('It is not there any more.');
      else body.replaceChildren(renderConnectForm({ api, connector, scope, onConnected: retry }));
    } catch (error) {
      body.replaceChildren(error instanceof Error ? error.message : 'That did not work.');
    }
  };
  void show();
  return element(
    'section',
    { class: 'card', 'aria-label': `Connect ${title}` },
    element('strong', { dir: 'auto' }, `The agent needs ${title} for this, and you are not connected.`),
    body,
  );
}
