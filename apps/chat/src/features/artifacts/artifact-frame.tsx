import { useEffect, useRef } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { Artifact } from './artifact.ts';
import { type ArtifactOrder, type ArtifactReport, readReport } from './frame-messages.ts';

/** The URL of the frame, which is served with the page's own files and with headers that allow no network. */
const FRAME_URL = '/_page/artifact.html';

export interface ArtifactFrameProps {
  readonly artifact: Pick<Artifact, 'kind' | 'code'>;
  readonly title: string;
  /** Receives what the artifact reports, which it can forge. */
  onReport(report: ArtifactReport): void;
}

/**
 * Runs an artifact in a sandboxed frame without an origin. A new `key` runs it again; removing the frame stops it, whatever it
 * is doing.
 */
export function ArtifactFrame({ artifact: { kind, code }, title, onReport }: ArtifactFrameProps) {
  const { language } = useChatTexts();
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(onReport);
  latest.current = onReport;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      const report = readReport(data);
      if (report) latest.current(report);
    };
    const send = () => {
      const order: ArtifactOrder = { kind, code, language };
      // A sandboxed frame has no origin to name as the target; its content comes from this server.
      element.contentWindow?.postMessage(order, '*', [port2]);
    };
    // Only once: later documents of the frame are the artifact's.
    element.addEventListener('load', send, { once: true });
    element.src = FRAME_URL;
    return () => {
      element.removeEventListener('load', send);
      port1.close();
    };
  }, [kind, code, language]);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      className="block size-full min-h-0 flex-1 border-0"
    />
  );
}
