import type { Workspace } from '@berth/contract/agent';
import type { Api } from './api.ts';
import { element } from './element.ts';
import { pageAddress } from './page-address.ts';

export interface WorkspaceSwitchOptions {
  readonly api: Api;
  /** Where the person works; undefined for the personal workspace. */
  readonly teamId: string | undefined;
  readonly report: (error: unknown) => void;
}

const NEW = 'new';

/** Says where the person works, and takes them elsewhere: the page begins anew there. */
export function createWorkspaceSwitch({ api, teamId, report }: WorkspaceSwitchOptions): HTMLElement {
  const go = (id: string | undefined) => location.assign(pageAddress({ chatId: undefined, teamId: id }));
  const makeTeam = async () => {
    select.value = teamId ?? '';
    const name = prompt('What is the new team called?')?.trim();
    if (!name) return;
    const { id } = await api.sendJson<Workspace>('POST', '/workspaces', { name });
    go(id);
  };
  const select = element('select', {
    'aria-label': 'Workspace',
    dir: 'auto',
    hidden: true,
    onChange() {
      if (select.value === NEW) makeTeam().catch(report);
      else go(select.value || undefined);
    },
  });
  const show = async () => {
    for (const { id, type, name, icon } of await api.json<Workspace[]>('/workspaces')) {
      const label = icon === undefined ? name : `${icon} ${name}`;
      select.append(element('option', { value: type === 'personal' ? '' : id }, label));
    }
    select.append(element('option', { value: NEW }, 'New team…'));
    // One that the person is not in stands for nothing: whatever they choose leads away from it.
    select.value = teamId ?? '';
    select.hidden = false;
  };
  show().catch(report);
  return select;
}
