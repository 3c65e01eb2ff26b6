import { Button, saveFile, useTell } from '@berth/ui';
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { type AuditView, toAuditQuery } from './audit-view.ts';
import { exportAudit } from './export-audit.ts';

/** Button that downloads all matching entries as a file. A second press cancels the download. */
export function AuditDownload({ view, isEmpty }: { readonly view: AuditView; readonly isEmpty: boolean }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const tell = useTell();
  const [lines, setLines] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const download = async () => {
    running.current?.abort();
    if (lines !== undefined) return;
    const mine = new AbortController();
    running.current = mine;
    setLines(0);
    try {
      const query = toAuditQuery(view, Date.now());
      const csv = await exportAudit(client, query, { onProgress: setLines, signal: mine.signal });
      saveFile('audit.csv', csv, 'text/csv');
    } catch (error) {
      if (!mine.signal.aborted) tell(error instanceof Error ? error.message : String(error));
    } finally {
      setLines(undefined);
    }
  };
  return (
    <Button icon={Download} look="quiet" disabled={isEmpty} onClick={() => void download()}>
      <span className="tabular-nums">
        {lines === undefined ? t('audit.csv') : t('audit.csv.running', { count: lines })}
      </span>
    </Button>
  );
}
