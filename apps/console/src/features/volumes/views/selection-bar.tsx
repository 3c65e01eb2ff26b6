import { BerthError } from '@berth/kit';
import { Button, ErrorNote, quote, saveFile, useCommand } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { Download, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { ZIP_BYTES, zipFiles } from '../state/zip-files.ts';

interface SelectionBarProps {
  readonly volume: string;
  readonly folder: string;
  readonly paths: readonly string[];
  /** Absent if the role does not allow deleting. */
  readonly onDelete?: (() => void) | undefined;
  onSelectAll(): void;
  onClear(): void;
}

/** Toolbar with the actions for the selected entries. */
export function SelectionBar({ volume, folder, paths, onDelete, onSelectAll, onClear }: SelectionBarProps) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const [count, setCount] = useState(0);
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const zip = useMutation({
    async mutationFn() {
      ending.current = new AbortController();
      setCount(0);
      const { downloadZip } = await import('client-zip');
      const given = { client, volume, folder, paths, fetch, signal: ending.current.signal, onPacked: setCount };
      const name = folder === '' ? volume : folder.slice(0, -1).split('/').at(-1);
      saveFile(`${name}.zip`, await downloadZip(zipFiles(given)).blob());
    },
  });
  // The command takes a single path.
  const first = paths.length === 1 ? paths[0] : undefined;
  useCommand(
    first === undefined
      ? undefined
      : {
          label: first,
          cli: `npx berth volume get ${quote(volume)} ${quote(first)}`,
          http: { method: 'POST', path: '/v1/volume/download', body: { volume, object: first } },
        },
  );
  const isTooLarge = BerthError.is(zip.error, 'payload_too_large');
  return (
    <section
      aria-label={t('files.selected', { count: paths.length })}
      className="sticky top-0 z-10 mb-2 flex flex-col gap-2 rounded-md border border-line bg-raised p-2 max-md:top-14"
    >
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="me-auto px-1 font-medium">
          {zip.isPending ? t('files.zip.busy', { count }) : t('files.selected', { count: paths.length })}
        </span>
        <Button look="quiet" onClick={onSelectAll}>
          {t('files.selectAll')}
        </Button>
        <Button look="quiet" onClick={onClear}>
          {t('files.selectNone')}
        </Button>
        <Button icon={Download} isBusy={zip.isPending} onClick={() => zip.mutate()}>
          {t('files.zip')}
        </Button>
        {onDelete && (
          <Button icon={Trash2} onClick={onDelete}>
            {t('deployment.delete')}
          </Button>
        )}
      </div>
      {zip.error && (
        <ErrorNote error={isTooLarge ? t('files.zip.tooLarge', { limit: formats.bytes(ZIP_BYTES) }) : zip.error} />
      )}
    </section>
  );
}
