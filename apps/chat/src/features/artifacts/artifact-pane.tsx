import { Button, IconButton, saveFile, Tabs } from '@berth/ui';
import { ChevronLeft, ChevronRight, Download, Maximize2, Minimize2, RotateCw, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Drawer } from '../../components/drawer.tsx';
import { useCopyButton } from '../../components/use-copy.ts';
import { NARROW } from '../../components/use-media-query.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { CodeView } from '../code/code-view.tsx';
import { type Artifact, fileNameOf } from './artifact.ts';
import { ArtifactFrame } from './artifact-frame.tsx';
import type { ArtifactReport } from './frame-messages.ts';
import { listArtifacts } from './list-artifacts.ts';
import { ReportNote } from './report-note.tsx';
import type { AnswerParts } from './use-artifact-pane.ts';

export interface ArtifactPaneProps {
  /** The version that the person opened. */
  readonly opened: Artifact;
  /** The answers, which have the other versions. */
  readonly answers: AnswerParts;
  /** Drafts a message that asks for a fix; absent on shared chats. */
  readonly onFix?: ((text: string) => void) | undefined;
  /** True where nothing makes room for the pane, so that it covers the page at any size. */
  readonly isOver?: boolean;
  onClose(): void;
}

/** The pane beside the chat that runs an artifact and shows its code and versions; on phones it covers the chat. */
export function ArtifactPane({ opened, answers, onFix, isOver = false, onClose }: ArtifactPaneProps) {
  const { t } = useChatTexts();
  const versions = useVersions(opened, answers);
  const [isFull, setFull] = useState(false);
  /** The index of the version that is shown; undefined follows the latest one. */
  const [chosen, setChosen] = useState(() => findVersion(versions, opened));
  const at = Math.min(chosen ?? versions.length - 1, versions.length - 1);
  const artifact = versions[at] ?? opened;
  const [tab, setTab] = useState<'preview' | 'code'>('preview');
  const [run, setRun] = useState(0);
  const [report, setReport] = useState<ArtifactReport | undefined>();
  const copy = useCopyButton(() => artifact.code);
  const title = artifact.title || t('artifact.untitled');
  const choose = (index: number) => {
    setChosen(index === versions.length - 1 ? undefined : index);
    setReport(undefined);
  };
  const reload = () => {
    setRun(run + 1);
    setReport(undefined);
  };
  const size = isFull
    ? 'fixed inset-0 z-30'
    : isOver
      ? 'fixed inset-y-0 end-0 z-30 w-[min(56rem,90vw)] shadow-xl max-sm:w-full'
      : 'w-[45vw] max-w-4xl border-s border-line max-sm:border-s-0 max-lg:fixed max-lg:inset-y-0 max-lg:end-0 max-lg:z-30 max-lg:w-[min(44rem,90vw)] max-lg:shadow-xl max-sm:w-full';
  return (
    <Drawer
      {...{ id: 'artifact', label: title, covers: isFull || isOver ? 'all' : NARROW.files, onClose }}
      isOpen
      takesFocus
      className={`min-h-0 bg-ground pt-[env(safe-area-inset-top)] ${size}`}
    >
      <div className="flex min-h-12 items-center gap-1 border-b border-line ps-3 pe-1">
        <h2 dir="auto" title={title} className="min-w-0 flex-1 truncate font-medium">
          {title}
        </h2>
        {versions.length > 1 && (
          <span className="flex items-center">
            <IconButton
              icon={ChevronLeft}
              label={t('artifact.older')}
              disabled={at === 0}
              className="rtl:[&>svg]:-scale-x-100"
              onClick={() => choose(at - 1)}
            />
            <span role="status" className="text-xs text-ink-soft tabular-nums">
              {t('artifact.version', { count: at + 1, total: versions.length })}
            </span>
            <IconButton
              icon={ChevronRight}
              label={t('artifact.newer')}
              disabled={at === versions.length - 1}
              className="rtl:[&>svg]:-scale-x-100"
              onClick={() => choose(at + 1)}
            />
          </span>
        )}
        <IconButton icon={RotateCw} label={t('artifact.reload')} onClick={reload} />
        <IconButton {...copy} />
        <IconButton
          icon={Download}
          label={t('files.download')}
          onClick={() => saveFile(fileNameOf(artifact), artifact.code, 'text/plain')}
        />
        <IconButton
          icon={isFull ? Minimize2 : Maximize2}
          label={t(isFull ? 'artifact.shrink' : 'artifact.expand')}
          className="max-sm:hidden"
          onClick={() => setFull(!isFull)}
        />
        <IconButton icon={X} label={t('artifact.close')} onClick={onClose} />
      </div>
      <Tabs<'preview' | 'code'>
        label={title}
        value={tab}
        onChange={setTab}
        isFilling
        tabs={[
          {
            value: 'preview',
            label: t('artifact.preview'),
            isKept: true,
            content: <ArtifactFrame key={`${run} ${at}`} artifact={artifact} title={title} onReport={setReport} />,
          },
          {
            value: 'code',
            label: t('artifact.code'),
            content: (
              <div className="h-full overflow-y-auto px-3">
                <CodeView code={artifact.code} language={artifact.kind === 'html' ? 'xml' : 'tsx'} />
              </div>
            ),
          },
        ]}
      />
      {report && (
        <ReportNote report={report} onDismiss={() => setReport(undefined)}>
          {onFix && report.type === 'error' && (
            <Button onClick={() => onFix(t('artifact.fixText', { title, error: report.message }))}>
              {t('artifact.fix')}
            </Button>
          )}
        </ReportNote>
      )}
    </Drawer>
  );
}

/** Returns the versions of an artifact; only itself when no answer has it, e.g. while a message is edited. */
function useVersions(opened: Artifact, answers: AnswerParts): readonly Artifact[] {
  return useMemo(() => {
    const all = listArtifacts(answers).map(({ artifact }) => artifact);
    const same = all.filter(({ key }) => key === opened.key);
    return same.some(({ code }) => code === opened.code) ? same : [opened];
  }, [opened, answers]);
}

function findVersion(versions: readonly Artifact[], { code }: Artifact): number | undefined {
  const index = versions.findLastIndex((one) => one.code === code);
  return index === versions.length - 1 ? undefined : index;
}
