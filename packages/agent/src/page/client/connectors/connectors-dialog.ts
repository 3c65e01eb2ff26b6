import type { ConnectorRow } from '@berth/contract/agent';
import type { Api } from '../api.ts';
import { element } from '../element.ts';
import { renderConnectForm } from './connect-form.ts';

/** The connectors there are: what each is connected as, and how to connect it, leave it out of turns, disconnect it. */
export function openConnectorsDialog(api: Api): void {
  const list = element('ul', { class: 'connectors' });
  const note = element('p', { role: 'status' }, 'Loading…');
  const dialog: HTMLDialogElement = element(
    'dialog',
    { 'aria-label': 'Connectors', onClose: () => dialog.remove() },
    element('h2', {}, 'Connectors'),
    note,
    list,
    element('form', { method: 'dialog' }, element('button', { class: 'quiet' }, 'Close')),
  );
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : 'That did not work.';
    }
  };
  const refresh = () =>
    attempt(async () => {
      const rows = await api.json<readonly ConnectorRow[]>('/connectors');
      note.textContent = rows.length === 0 ? 'There are none for you.' : '';
      list.replaceChildren(...rows.map(renderRow));
    });
  const change = (work: () => Promise<unknown>) => async () => {
    await attempt(work);
    await refresh();
  };
  const renderRow = (row: ConnectorRow): HTMLElement => {
    const path = `/connectors/${encodeURIComponent(row.name)}`;
    const isOn: HTMLInputElement = element('input', {
      type: 'checkbox',
      checked: row.on,
      onChange: change(() => api.sendJson('PATCH', path, { on: isOn.checked })),
    });
    const disconnect = change(() => api.json(`${path}?scope=${row.connected_as}`, { method: 'DELETE' }));
    return element(
      'li',
      {},
      element('strong', { dir: 'auto' }, row.title),
      element('p', { class: 'hint', dir: 'auto' }, row.description),
      element('p', {}, stateOf(row)),
      row.allowed && !row.connected && renderConnectForm({ api, connector: row, onConnected: () => void refresh() }),
      element(
        'div',
        { class: 'row' },
        element('label', {}, isOn, ' Use it in chats'),
        mayDisconnect(row) && element('button', { type: 'button', class: 'quiet', onClick: disconnect }, 'Disconnect'),
      ),
    );
  };
  document.body.append(dialog);
  dialog.showModal();
  void refresh();
}

function stateOf(row: ConnectorRow): string {
  if (!row.allowed) return 'Your organisation does not allow it.';
  if (!row.connected) return 'Not connected.';
  if (row.connected_as === null) return 'Needs no connection.';
  return row.connected_as === 'user' ? 'Connected as you.' : 'Connected for everybody in this workspace.';
}

function mayDisconnect(row: ConnectorRow): boolean {
  return row.connected_as === 'user' || (row.connected_as === 'workspace' && row.admin);
}
