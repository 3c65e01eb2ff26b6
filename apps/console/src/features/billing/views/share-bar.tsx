import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Bar that shows a ratio with its percentage. */
export function ShareBar({ ratio }: { readonly ratio: number }) {
  const { formats } = useConsoleTexts();
  return (
    <span className="flex items-center gap-2">
      <svg
        aria-hidden
        className="h-1.5 w-full max-w-48 rounded-full bg-hover rtl:-scale-x-100"
        preserveAspectRatio="none"
        viewBox="0 0 1 1"
      >
        <rect width={ratio} height="1" className="fill-accent-ground" />
      </svg>
      <span className="w-12 shrink-0 text-end text-xs text-ink-soft">
        {formats.number(ratio, { style: 'percent', maximumFractionDigits: 1 })}
      </span>
    </span>
  );
}
