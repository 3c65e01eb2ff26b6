import { formatCell } from '@berth/client';
import type { SqlRow } from '@berth/contract';
import { Button, Dialog, IconButton, useTell } from '@berth/ui';
import { ChevronDown, ChevronUp, Copy } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

interface RowDetailProps {
  readonly rows: readonly SqlRow[];
  readonly index: number;
  onMove(index: number): void;
  onClose(): void;
}

/** Dialog with all values of one row. The arrow keys move to the neighboring rows. */
export function RowDetail({ rows, index, onMove, onClose }: RowDetailProps) {
  const { t, formats } = useConsoleTexts();
  const tell = useTell();
  const row = rows[index];
  if (!row) return null;
  const move = (step: number) => {
    if (rows[index + step]) onMove(index + step);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      move(event.key === 'ArrowUp' ? -1 : 1);
    }
  };
  const title = t('sql.row', { index: formats.number(index + 1), count: formats.number(rows.length) });
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys are shortcuts for the buttons inside */}
      <div className="flex flex-col gap-3" onKeyDown={onKeyDown}>
        <div className="flex gap-1">
          <IconButton icon={ChevronUp} label={t('sql.row.before')} disabled={index === 0} onClick={() => move(-1)} />
          <IconButton
            icon={ChevronDown}
            label={t('sql.row.after')}
            disabled={index === rows.length - 1}
            onClick={() => move(1)}
          />
          <Button
            look="quiet"
            className="ms-auto"
            onClick={() => {
              void navigator.clipboard.writeText(JSON.stringify(row, null, 2)).then(() => tell(t('parts.copied')));
            }}
          >
            <Copy aria-hidden className="size-3.5" />
            {t('sql.row.copy')}
          </Button>
        </div>
        <dl dir="ltr" className="flex flex-col divide-y divide-line text-start font-mono text-xs/5">
          {Object.entries(row).map(([name, value]) => (
            <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-[12rem_minmax(0,1fr)]">
              <dt className="truncate text-ink-soft" title={name}>
                {name}
              </dt>
              <dd className="min-w-0 break-words whitespace-pre-wrap">
                {value === null ? <span className="text-ink-soft">NULL</span> : showValue(value)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}

function showValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : formatCell(value);
}
