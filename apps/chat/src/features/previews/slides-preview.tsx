import { ErrorNote, Skeleton } from '@berth/ui';
import type { FileUrl } from '../../api/file-path.ts';
import { ZoomImage } from '../../components/zoom-image.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useFile } from '../media/use-file.ts';

/** Inline images of types that cannot contain scripts. */
const IMAGE = /^data:image\/(?:png|jpeg|webp);base64,/;

/**
 * Returns the slides in a response to `?as=slides` as data URLs of images. Source: docs/contract/agent-api.md §4.
 * @throws Error when the response has no list of slides
 */
export function readSlides(text: string): readonly string[] {
  const { slides } = JSON.parse(text) as { readonly slides?: unknown };
  if (!Array.isArray(slides)) throw new Error('The slides could not be read.');
  return slides.filter((slide): slide is string => typeof slide === 'string' && IMAGE.test(slide));
}

const toSlides = async (blob: Blob) => readSlides(await blob.text());

/** A preview of a presentation as a list of slides. */
export function SlidesPreview({ url, name }: { readonly url: FileUrl; readonly name: string }) {
  const { t } = useChatTexts();
  const { value: slides, error } = useFile(url, toSlides);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (slides === undefined) return <Converting />;
  return (
    <ol aria-label={name} className="flex flex-col gap-4">
      {slides.map((src, index) => {
        const label = t('files.slide', { count: index + 1, total: slides.length });
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: slides have no ID and never change places
          <li key={index} className="flex flex-col gap-1 [&_img]:w-full [&_img]:border [&_img]:border-line">
            <ZoomImage src={src} alt={label} label={t('files.enlarge', { name: label })} />
            <p aria-hidden className="text-xs text-ink-soft tabular-nums">
              {label}
            </p>
          </li>
        );
      })}
    </ol>
  );
}

/** A placeholder while the server converts an office file to pages or slides. */
export function Converting() {
  const { t } = useChatTexts();
  return (
    <>
      <p role="status" className="text-ink-soft">
        {t('files.converting')}
      </p>
      <Skeleton rows={8} />
    </>
  );
}
