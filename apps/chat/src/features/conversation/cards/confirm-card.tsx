import type { UiFrame } from '@berth/contract/agent';
import { Button } from '@berth/ui';
import { Pencil, ShieldQuestion } from 'lucide-react';
import { useId, useState } from 'react';
import { messageOf } from '../../../api/message-of.ts';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { visible } from '../../media/visible.ts';
import type { Decision, ToolArgs } from '../state/chat-calls.ts';

export interface ConfirmCardProps {
  readonly frame: UiFrame;
  /** @param args the edited arguments; undefined when the person left them unchanged */
  onDecide(decision: Decision, args: ToolArgs | undefined): Promise<void>;
}

const DECISIONS: readonly Decision[] = ['approve', 'always', 'deny'];

/** Asks the person to approve a tool call and lets them edit its arguments. */
export function ConfirmCard({ frame, onDecide }: ConfirmCardProps) {
  const { t } = useChatTexts();
  const [decided, setDecided] = useState<Decision | undefined>();
  const [problem, setProblem] = useState('');
  /** The edited arguments as JSON; undefined while they are not being edited. */
  const [draft, setDraft] = useState<string | undefined>();
  const name = visible(String(frame['tool'] ?? ''));
  const label = visible(String(frame['label'] ?? name));
  const connector = frame['connector'] === undefined ? undefined : visible(String(frame['connector']));
  const given = frame['args'] === undefined ? undefined : JSON.stringify(frame['args'], null, 2);
  const decide = async (decision: Decision) => {
    const isEdited = draft !== undefined && decision !== 'deny' && draft !== given;
    const args = isEdited ? readArgs(draft) : undefined;
    if (isEdited && !args) return setProblem(t('card.argsWrong'));
    setDecided(decision);
    setProblem('');
    try {
      await onDecide(decision, args);
    } catch (error) {
      setProblem(messageOf(error));
      setDecided(undefined);
    }
  };
  return (
    <section
      aria-label={t('card.approval', { label })}
      className="my-3 rounded-lg border border-line-strong bg-raised p-4"
    >
      <strong dir="auto" className="flex gap-2">
        <ShieldQuestion aria-hidden className="size-5 shrink-0 text-warn" />
        {t('card.may', { label })}
      </strong>
      {/* The label is free text and may mislead: the name identifies the tool. */}
      <p dir="auto" className="mt-1 text-xs text-ink-soft">
        {connector === undefined ? t('card.tool', { name }) : t('card.toolOf', { name, connector })}
      </p>
      {given !== undefined && draft === undefined && (
        <ScrollBox label={t('card.args')} dir="ltr" className="mt-2 max-h-60 rounded-md bg-sunken p-3">
          <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">{visible(given)}</pre>
        </ScrollBox>
      )}
      {draft !== undefined && <ArgsField value={draft} onChange={setDraft} isWrong={problem !== ''} />}
      <div className="mt-3 flex flex-wrap gap-2">
        {DECISIONS.map((decision) => (
          <Button
            key={decision}
            look={decision === 'approve' ? 'primary' : 'secondary'}
            isBusy={decided === decision}
            disabled={decided !== undefined}
            onClick={() => void decide(decision)}
          >
            {t(`card.${decision}`)}
          </Button>
        ))}
        {given !== undefined && (
          <Button
            look="quiet"
            className="ms-auto"
            aria-expanded={draft !== undefined}
            disabled={decided !== undefined}
            onClick={() => {
              setProblem('');
              setDraft(draft === undefined ? given : undefined);
            }}
          >
            {draft === undefined && <Pencil aria-hidden className="size-4" />}
            {draft === undefined ? t('card.edit') : t('card.asBefore')}
          </Button>
        )}
      </div>
      <p role="alert" className="text-bad not-empty:mt-2">
        {problem}
      </p>
    </section>
  );
}

/** Defined once: a new function on each render would move the focus again. */
const focusOn = (field: HTMLElement | null) => field?.focus();

interface ArgsFieldProps {
  readonly value: string;
  readonly isWrong: boolean;
  onChange(value: string): void;
}

function ArgsField({ value, isWrong, onChange }: ArgsFieldProps) {
  const { t } = useChatTexts();
  const id = useId();
  return (
    <label htmlFor={id} className="mt-2 flex flex-col gap-1">
      <span className="text-xs text-ink-soft">{t('card.argsHint')}</span>
      <textarea
        id={id}
        ref={focusOn}
        dir="ltr"
        spellCheck={false}
        rows={Math.min(12, value.split('\n').length + 1)}
        aria-invalid={isWrong}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="max-h-60 w-full resize-y rounded-md border border-line-strong bg-raised p-3 font-mono text-xs max-sm:text-base aria-invalid:border-bad"
      />
    </label>
  );
}

/** Parses edited tool arguments; undefined when `text` is not a JSON object. */
export function readArgs(text: string): ToolArgs | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ToolArgs) : undefined;
  } catch {
    return undefined;
  }
}
