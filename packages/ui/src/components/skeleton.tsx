import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { classNames } from './class-names.ts';

/**
 * The content that is loading: rows of a table (40 px, 48 px on phones), entries of a list in a side bar, fields of a form, lines of text, messages of a chat, a plot, or cards with figures.
 */
export type SkeletonShape = 'rows' | 'list' | 'form' | 'text' | 'chat' | 'plot' | 'figures';

export interface SkeletonProps {
  /** Number of rows, fields, lines or messages. */
  readonly rows?: number;
  readonly shape?: SkeletonShape;
}

const OUTER: Readonly<Record<SkeletonShape, string>> = {
  rows: 'flex flex-col',
  list: 'flex flex-col',
  form: 'flex flex-col gap-4',
  text: 'flex flex-col',
  chat: 'flex flex-col gap-6 py-4',
  plot: 'flex flex-col',
  figures: 'grid grid-cols-2 gap-3 lg:grid-cols-4',
};
const ROWS: Readonly<Record<SkeletonShape, string>> = {
  rows: 'flex h-10 items-center gap-4 max-sm:h-12 border-b border-line',
  list: 'flex h-9 items-center px-2 max-sm:h-11',
  form: 'flex flex-col gap-2',
  text: 'flex h-6 items-center',
  chat: 'flex flex-col gap-3',
  plot: 'flex h-36 items-end gap-1.5 border-b border-line pb-px',
  figures: 'flex h-17.5 flex-col justify-between rounded-lg border border-line p-3',
};
/** Widths of the first bar, in turn: the names in a list differ in length, too. */
const WIDTHS = ['w-2/5', 'w-1/3', 'w-1/2', 'w-1/4'];
const PLOT_BARS = ['h-8', 'h-14', 'h-10', 'h-20', 'h-24', 'h-16', 'h-28', 'h-20', 'h-12', 'h-16', 'h-24', 'h-14'];
const BAR = 'h-3 rounded-sm bg-hover';

/** A placeholder in the shape of what is loading, so that the layout doesn't shift. Screen readers hear that something loads. */
export function Skeleton({ rows = 1, shape = 'rows' }: SkeletonProps) {
  const { t } = useTexts<PartMessages>();
  return (
    <div role="status" aria-label={t('parts.loading')} className={classNames('animate-pulse', OUTER[shape])}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <div key={row} className={ROWS[shape]}>
          <Bars shape={shape} row={row} />
        </div>
      ))}
    </div>
  );
}

function Bars({ shape, row }: { readonly shape: SkeletonShape; readonly row: number }) {
  const width = WIDTHS[row % WIDTHS.length];
  if (shape === 'plot') {
    return PLOT_BARS.map((height, bar) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the bars never change
      <div key={bar} className={classNames('flex-1 rounded-t-sm bg-hover', height)} />
    ));
  }
  if (shape === 'text') return <div className={classNames(BAR, row % 4 === 3 ? 'w-3/5' : 'w-full')} />;
  if (shape === 'list') return <div className={classNames(BAR, row % 2 === 0 ? 'w-4/5' : 'w-3/5')} />;
  if (shape === 'figures') {
    return (
      <>
        <div className={classNames(BAR, 'w-20')} />
        <div className="h-5 w-12 rounded-sm bg-hover" />
      </>
    );
  }
  if (shape === 'form') {
    return (
      <>
        <div className={classNames(BAR, 'w-24')} />
        <div className="h-8 rounded-md bg-hover max-sm:h-11" />
      </>
    );
  }
  if (shape === 'chat') {
    return row % 2 === 0 ? (
      <div className="h-11 w-2/5 self-end rounded-2xl bg-hover" />
    ) : (
      ['w-11/12', 'w-full', 'w-3/5'].map((line) => <div key={line} className={classNames(BAR, line)} />)
    );
  }
  return (
    <>
      <div className="flex-1">
        <div className={classNames(BAR, width)} />
      </div>
      <div className={classNames(BAR, 'w-1/6 max-md:hidden')} />
      <div className={classNames(BAR, 'w-16')} />
    </>
  );
}
