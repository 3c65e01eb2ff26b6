import { Circle, CircleAlert, CircleCheck, CircleDashed, CircleDot, Info } from 'lucide-react';
import { classNames } from './class-names.ts';

const TONES = {
  neutral: ['bg-hover text-ink', Circle],
  good: ['bg-good-soft text-good', CircleCheck],
  busy: ['bg-accent-soft text-accent', CircleDashed],
  warn: ['bg-warn-soft text-warn', CircleDot],
  info: ['bg-info-soft text-info', Info],
  bad: ['bg-bad-soft text-bad', CircleAlert],
} as const;

export type BadgeTone = keyof typeof TONES;

/** A status, shown by word, shape and color. */
export function Badge({ tone = 'neutral', text }: { readonly tone?: BadgeTone; readonly text: string }) {
  const [color, Icon] = TONES[tone];
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        color,
      )}
    >
      <Icon aria-hidden className="size-3" />
      {text}
    </span>
  );
}
