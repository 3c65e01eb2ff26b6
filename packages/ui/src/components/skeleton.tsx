import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';

/** A placeholder for `rows` rows of 40 px (48 px on phones) while they load, so the layout doesn't shift. */
export function Skeleton({ rows = 1 }: { readonly rows?: number }) {
  const { t } = useTexts<PartMessages>();
  return (
    <div role="status" aria-label={t('parts.loading')} className="flex flex-col">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <div key={row} className="flex h-10 items-center max-sm:h-12 border-b border-line">
          <div className="h-3 w-2/5 animate-pulse rounded bg-hover" />
        </div>
      ))}
    </div>
  );
}
