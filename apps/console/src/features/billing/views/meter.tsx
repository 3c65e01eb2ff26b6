import { classNames } from '@berth/ui';

interface MeterProps {
  /** From 0 to 1. */
  readonly ratio: number;
  /** Class name of the filled part. */
  readonly fill?: string;
  /** Class names of the bar, with its size. */
  readonly className: string;
}

/** Bar that shows a ratio. The text beside it says the same. */
export function Meter({ ratio, fill = 'fill-accent-ground', className }: MeterProps) {
  return (
    <svg
      aria-hidden
      className={classNames('w-full rounded-full bg-hover rtl:-scale-x-100', className)}
      preserveAspectRatio="none"
      viewBox="0 0 1 1"
    >
      <rect width={ratio} height="1" className={fill} />
    </svg>
  );
}
