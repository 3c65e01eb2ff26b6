import { ErrorNote } from '@berth/ui';
import { useEffect, useState } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { Converting } from './converting.tsx';
import { EnlargeButton } from './enlarge-button.tsx';
import { readSlides } from './read-slides.ts';
import { useBlob } from './use-blob.ts';

/** A preview of a presentation as a list of slides. */
export function SlidesPreview({ url, name }: { readonly url: FileUrl; readonly name: string }) {
  const { t } = useChatTexts();
  const { blob, error } = useBlob(url);
  const [slides, setSlides] = useState<readonly string[] | undefined>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    blob
      ?.text()
      .then((text) => setSlides(readSlides(text)))
      .catch(setProblem);
  }, [blob]);
  if (error !== undefined || problem !== undefined) return <ErrorNote error={error ?? problem} />;
  if (slides === undefined) return <Converting />;
  return (
    <ol aria-label={name} className="flex flex-col gap-4">
      {slides.map((src, index) => {
        const label = t('files.slide', { count: index + 1, total: slides.length });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: slides have no ID and never change places
          <li key={index} className="flex flex-col gap-1 [&_img]:w-full [&_img]:border [&_img]:border-line">
            <EnlargeButton src={src} alt={label} label={t('files.enlarge', { name: label })} />
            <p aria-hidden className="text-xs text-ink-soft tabular-nums">
              {label}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
