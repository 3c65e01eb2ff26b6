import { classNames } from '@berth/ui';
import { groupOf, type SeverityGroup } from '../state/severities.ts';

const LOOKS: Readonly<Record<SeverityGroup, string>> = {
  error: 'bg-bad-soft text-bad',
  warning: 'bg-warn-soft text-warn',
  info: 'text-ink-soft',
};

/** Label of a severity, highlighted for warnings and errors. */
export function SeverityMark({ severity }: { readonly severity: string }) {
  return (
    <span
      className={classNames(
        'inline-block w-20 shrink-0 truncate rounded px-1.5 text-center max-md:w-auto',
        LOOKS[groupOf(severity)],
      )}
    >
      {severity}
    </span>
  );
}
