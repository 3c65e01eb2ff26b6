import { Popover } from '@base-ui/react/popover';
import { Button, classNames, INPUT_CLASS } from '@berth/ui';
import { CalendarClock, Check } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { CodeNameField } from '../fields.tsx';
import { toRange } from './move-range.ts';
import { parseMoment } from './parse-moment.ts';
import { type Range, rangeMs, SPANS, type Span } from './time-range.ts';

interface RangePickerProps<Chosen extends Range | undefined> {
  readonly range: Chosen;
  /** Label for no range, where that is an option. */
  readonly anyLabel?: string;
  onChange(range: Chosen | Range): void;
}

/** Picks a time range: a span before now, or two times typed by hand. */
export function RangePicker<Chosen extends Range | undefined>(props: RangePickerProps<Chosen>) {
  const { range, anyLabel, onChange } = props;
  const { t, language } = useConsoleTexts();
  const [isOpen, setOpen] = useState(false);
  const label = range === undefined ? (anyLabel ?? '') : describe(range);
  const choose = (next: Chosen | Range) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={`${t('logs.range')}: ${label}`}
        title={label}
        className={classNames(
          INPUT_CLASS,
          'inline-flex w-56! items-center gap-2 border-line! shadow-xs hover:bg-hover data-popup-open:bg-hover max-sm:w-auto! max-sm:min-w-[40%] max-sm:flex-1',
        )}
      >
        <CalendarClock aria-hidden className="size-4 shrink-0 text-ink-soft" />
        <span className="min-w-0 truncate">{label}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-50">
          <Popover.Popup
            aria-label={t('logs.range')}
            className="pop flex max-h-(--available-height) w-[30rem] max-w-(--available-width) gap-4 overflow-y-auto p-3 max-sm:flex-col"
          >
            <ul className="flex shrink-0 flex-col max-sm:grid max-sm:grid-cols-2">
              {anyLabel !== undefined && (
                <SpanChoice
                  label={anyLabel}
                  isChosen={range === undefined}
                  onChoose={() => choose(undefined as Chosen)}
                />
              )}
              {(Object.keys(SPANS) as Span[]).map((span) => (
                <SpanChoice
                  key={span}
                  label={t(`logs.range.${span}`)}
                  isChosen={range !== undefined && 'last' in range && range.last === span}
                  onChoose={() => choose({ last: span })}
                />
              ))}
            </ul>
            <ExactRange range={range ?? { last: '24h' }} onChange={choose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );

  function describe(shown: Range): string {
    if ('last' in shown) return t(`logs.range.${shown.last}`);
    const { fromMs, toMs } = rangeMs(shown, 0);
    const day = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat(language, day).formatRange(fromMs, toMs);
  }
}

interface SpanChoiceProps {
  readonly label: string;
  readonly isChosen: boolean;
  onChoose(): void;
}

function SpanChoice({ label, isChosen, onChoose }: SpanChoiceProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        className="flex h-8 w-full items-center gap-2 rounded px-2 text-start whitespace-nowrap hover:bg-hover max-sm:h-11"
        onClick={onChoose}
      >
        <Check aria-hidden className={classNames('size-3.5', !isChosen && 'invisible')} />
        {label}
      </button>
    </li>
  );
}

/** Two time fields, parsed while the person types. */
function ExactRange({ range, onChange }: { readonly range: Range; onChange(range: Range): void }) {
  const { t, language } = useConsoleTexts();
  const [nowMs] = useState(Date.now);
  const [from, setFrom] = useState('last' in range ? `now-${range.last}` : range.from);
  const [to, setTo] = useState('last' in range ? 'now' : range.to);
  const [hasTried, setTried] = useState(false);
  const full = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
  const fromMs = parseMoment(from, nowMs);
  const toMs = parseMoment(to, nowMs);
  const isBackwards = fromMs !== undefined && toMs !== undefined && fromMs >= toMs;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fromMs !== undefined && toMs !== undefined && !isBackwards) onChange(toRange(fromMs, toMs));
  };
  const field = (label: string, value: string, set: (value: string) => void, ms: number | undefined, also?: string) => {
    const unread = hasTried && ms === undefined ? t('logs.range.unread') : undefined;
    const hint = ms === undefined ? t('logs.range.hint') : full.format(ms);
    return (
      <CodeNameField
        label={label}
        value={value}
        onChange={set}
        hint={unread ? undefined : hint}
        problem={unread ?? also}
      />
    );
  };
  return (
    <form onSubmit={submit} noValidate className="flex min-w-0 flex-1 flex-col gap-3">
      {field(t('logs.range.from'), from, setFrom, fromMs)}
      {field(t('logs.range.to'), to, setTo, toMs, hasTried && isBackwards ? t('logs.range.backwards') : undefined)}
      <Button type="submit" look="primary" className="self-end">
        {t('logs.range.apply')}
      </Button>
    </form>
  );
}
