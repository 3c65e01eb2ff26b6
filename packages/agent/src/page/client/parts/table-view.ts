import type { Part, TablePart } from '@berth/contract/agent';
import { element } from '../element.ts';
import type { PartView } from './part-view.ts';

/** A table; rows that come later are added to those that are there. */
export function createTableView(): PartView {
  const head = element('thead');
  const body = element('tbody');
  const node = element(
    'div',
    { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' },
    element('table', {}, head, body),
  );
  let shown: TablePart | undefined;
  return {
    node,
    update(part: Part) {
      const table = part as TablePart;
      if (shown?.headers !== table.headers) {
        head.replaceChildren(line('th', table.headers));
        head.hidden = table.headers.length === 0;
      }
      const isContinued = shown?.rows.every((row, index) => row === table.rows[index]) ?? false;
      if (!isContinued) body.replaceChildren();
      for (const row of table.rows.slice(isContinued ? shown?.rows.length : 0)) body.append(line('td', row));
      shown = table;
    },
  };
}

function line(tag: 'th' | 'td', cells: readonly string[]): HTMLElement {
  return element(
    'tr',
    {},
    ...cells.map((cell) => element(tag, { dir: 'auto', scope: tag === 'th' && 'col' }, String(cell))),
  );
}
