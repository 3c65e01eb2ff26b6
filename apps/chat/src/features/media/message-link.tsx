import { saveFile } from '@berth/ui';
import { createContext, type MouseEvent, type ReactNode, useState } from 'react';
import { nameOfPath } from '../../api/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { resolveSource } from './resolve-source.ts';
import { useReadFile } from './use-file.ts';

/** True inside a link, where nothing else may be pressed. */
export const InLinkContext = createContext(false);

const CLASS = 'text-accent underline underline-offset-2 break-words';

/** A link in a message. Web links open a new tab, files are downloaded, and anything else is plain text. */
export function MessageLink({ href, children: label }: { readonly href: string; readonly children: ReactNode }) {
  const { t } = useChatTexts();
  const readFile = useReadFile();
  const children = <InLinkContext value={true}>{label}</InLinkContext>;
  const [isGone, setGone] = useState(false);
  const source = resolveSource(href, location.origin);
  if (source === undefined || source.kind === 'inline') return <span>{children}</span>;
  if (isGone) return <span className="text-ink-soft">{t('part.gone', { name: nameOf(source.url) })}</span>;
  if (source.kind !== 'file') {
    return (
      <a className={CLASS} href={source.url} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  }
  const download = async (event: MouseEvent) => {
    event.preventDefault();
    try {
      saveFile(nameOf(source.url), await readFile(source.url));
    } catch {
      setGone(true);
    }
  };
  return (
    <a className={CLASS} href={source.url} onClick={(event) => void download(event)}>
      {children}
    </a>
  );
}

function nameOf(url: string): string {
  const path = decodeURIComponent(url.split(/[?#]/)[0] ?? '').replace(/^\/(?:files|share\/[^/]+\/[^/]+\/file)\//, '');
  return nameOfPath(path) || 'file';
}
