import { Code, Maximize2, Workflow } from 'lucide-react';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { messageOf } from '../../api/message-of.ts';
import { CodeAction, CodeFrame } from '../../components/code-frame.tsx';
import { ScrollBox } from '../../components/scroll-box.tsx';
import { useLoaded } from '../../components/use-loaded.ts';
import { ZoomDialog } from '../../components/zoom-dialog.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { DiagramError } from './diagram-drawer.ts';
import { useDiagramDrawer } from './diagram-drawer-context.ts';

export interface DiagramViewProps {
  /** The Mermaid source. */
  readonly source: string;
  /** True while the source grows; the diagram is drawn once it is complete. */
  readonly isLive?: boolean;
}

/**
 * A diagram, drawn in a sandboxed frame and shown as an image, in which scripts, links and loading do not work. When the
 * diagram cannot be drawn, the source and the error are shown.
 */
export function DiagramView({ source, isLive = false }: DiagramViewProps) {
  const { t } = useChatTexts();
  const { value: diagram, error } = useDiagram(source, isLive);
  const [isSource, setSource] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const isPicture = !isSource && error === undefined;
  const title = t('part.diagram');
  const url = diagram && `data:image/svg+xml;charset=utf-8,${encodeURIComponent(diagram.svg)}`;
  return (
    <CodeFrame
      title={title}
      text={source}
      actions={
        <>
          {isPicture && url !== undefined && (
            <CodeAction icon={Maximize2} label={t('part.enlarge')} onClick={() => setLarge(true)} />
          )}
          {error === undefined && (
            <CodeAction
              icon={isSource ? Workflow : Code}
              label={isSource ? t('part.diagram') : t('part.sourceText')}
              onClick={() => setSource(!isSource)}
            />
          )}
        </>
      }
    >
      {error !== undefined && (
        <div
          role="note"
          className="border-b border-line bg-warn-soft px-3 py-2 text-sm whitespace-pre-wrap wrap-anywhere"
        >
          <span dir="auto" className="block">
            {t('part.notDrawn')}
          </span>
          <span className="block font-mono text-xs text-ink-soft">{reasonOf(error, t('part.tooSlow'))}</span>
        </div>
      )}
      {isPicture ? (
        // The height depends on the source alone, so that nothing below moves when the image appears.
        <div className="flex items-center justify-center bg-raised p-3" style={{ height: heightOf(source) }}>
          {diagram && url !== undefined ? (
            <img
              src={url}
              alt={t('part.diagramOf', { source })}
              width={diagram.width}
              height={diagram.height}
              className="max-h-full w-auto max-w-full object-contain"
            />
          ) : (
            <p role="status" className="animate-pulse text-ink-soft">
              {t('part.drawing')}
            </p>
          )}
        </div>
      ) : (
        <ScrollBox label={title} className="max-h-[80vh] p-3">
          <pre className="font-mono text-[0.8125rem] leading-5">{source}</pre>
        </ScrollBox>
      )}
      {isLarge && diagram && url !== undefined && (
        <ZoomDialog title={title} src={url} size={diagram} onClose={() => setLarge(false)} />
      )}
    </CodeFrame>
  );
}

const LINE_PX = 48;
const MIN_PX = 200;
const MAX_PX = 480;

function heightOf(source: string): number {
  return Math.min(MAX_PX, Math.max(MIN_PX, source.trim().split('\n').length * LINE_PX));
}

function reasonOf(error: unknown, tooSlow: string): string {
  if (error instanceof DiagramError && error.isTooSlow) return tooSlow;
  return messageOf(error);
}

/** Draws the source once it is complete, and again when the theme changes. */
function useDiagram(source: string, isLive: boolean) {
  const diagrams = useDiagramDrawer();
  const isDark = useIsDark();
  const draw = useCallback(() => diagrams.draw({ source, isDark }), [diagrams, source, isDark]);
  return useLoaded(isLive ? undefined : draw);
}

/** Returns whether the dark theme is active, by the person's choice or the device. For content that CSS doesn't reach. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

const query = () => matchMedia('(prefers-color-scheme: dark)');

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? query().matches : theme === 'dark';
}

function subscribe(onChange: () => void): () => void {
  const device = query();
  const choice = new MutationObserver(onChange);
  choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  device.addEventListener('change', onChange);
  return () => {
    choice.disconnect();
    device.removeEventListener('change', onChange);
  };
}
