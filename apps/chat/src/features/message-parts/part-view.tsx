import type { CalloutFrame, Part, Source } from '@berth/contract/agent';
import { Brain, ChevronRight } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { ArtifactBlock, WrittenArtifact } from '../artifacts/artifact-block.tsx';
import { CodeView } from '../code/code-view.tsx';
import { DiagramView } from '../diagrams/diagram-view.tsx';
import { CalloutBox } from '../markdown/views/callout-box.tsx';
import { MarkdownView } from '../markdown/views/markdown-view.tsx';
import { PartTable } from '../markdown/views/table-view.tsx';
import { MessageImage } from '../media/message-image.tsx';
import { MessageLink } from '../media/message-link.tsx';
import { DecisionView } from './decision-view.tsx';
import { StepView } from './step-view.tsx';

export interface PartViewProps {
  readonly part: Part;
  /** True for the last part of a streaming answer. */
  readonly isLive: boolean;
  /** True while the answer streams. */
  readonly isAnswerLive: boolean;
}

/** A part of an answer. The same part object is not rendered again. */
export const PartView = memo(function PartView({ part, isLive, isAnswerLive }: PartViewProps): ReactNode {
  switch (part.type) {
    case 'text':
      return <MarkdownView text={part.text} isLive={isLive} />;
    case 'thinking':
      return <Thinking text={part.thinking} isLive={isLive} />;
    case 'code':
      if (part.language?.toLowerCase() === 'mermaid') return <DiagramView source={part.code} isLive={isLive} />;
      return (
        <ArtifactBlock code={part.code} language={part.language} isLive={isLive}>
          <CodeView code={part.code} language={part.language} isLive={isLive} />
        </ArtifactBlock>
      );
    case 'table':
      return <PartTable part={part} isLive={isLive} />;
    case 'callout':
      return <Callout part={part} />;
    case 'image':
      return (
        <figure className="my-3">
          <MessageImage src={part.src} alt={part.alt ?? part.caption ?? ''} />
          {part.caption !== undefined && (
            <figcaption dir="auto" className="mt-1 text-xs text-ink-soft">
              {part.caption}
            </figcaption>
          )}
        </figure>
      );
    case 'status':
      // What the agent is doing now; a stored answer may still have its last status.
      return isAnswerLive ? (
        <p dir="auto" className="my-2 animate-pulse text-ink-soft">
          {part.status}
        </p>
      ) : null;
    case 'step':
    case 'tool_call':
      return (
        <>
          <StepView part={part} isLive={isAnswerLive} />
          {part.type === 'step' && <WrittenArtifact step={part} />}
        </>
      );
    case 'decision':
      return <DecisionView part={part} />;
    case 'sources':
      return <Sources sources={part.sources} />;
    default:
      // A part type of a server that is newer than this page.
      return null;
  }
});

function Thinking({ text, isLive }: { readonly text: string; readonly isLive: boolean }) {
  const { t } = useChatTexts();
  return (
    <details className="group my-1 text-ink-soft">
      <summary className="inline-flex min-h-8 items-center gap-2 select-none [&::-webkit-details-marker]:hidden">
        <Brain aria-hidden className={`size-4 ${isLive ? 'animate-pulse' : ''}`} />
        {t('part.thinking')}
        <ChevronRight aria-hidden className="size-4 group-open:rotate-90 rtl:-scale-x-100" />
      </summary>
      <p dir="auto" className="border-s-2 border-line ps-3 whitespace-pre-wrap">
        {text}
      </p>
    </details>
  );
}

function Callout({ part: { callout, style, title } }: { readonly part: CalloutFrame }) {
  return (
    <CalloutBox style={style} title={title} text={callout}>
      <MarkdownView text={callout} />
    </CalloutBox>
  );
}

function Sources({ sources }: { readonly sources: readonly Source[] }) {
  const { t } = useChatTexts();
  return (
    <section aria-label={t('part.sources')} className="my-3 rounded-lg border border-line px-4 py-3">
      <strong>{t('part.sources')}</strong>
      <ol dir="auto" className="mt-1 list-decimal ps-5">
        {sources.map(({ title, url, snippet }) => (
          <li key={`${url} ${title}`} className="mt-1">
            <MessageLink href={url}>{title || url}</MessageLink>
            {snippet !== undefined && <p className="text-xs text-ink-soft">{snippet}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
