import { jsonText, type StepFrame, type ToolCallFrame } from '@berth/contract/agent';
import { Check, ChevronRight, CircleDashed, LoaderCircle, X } from 'lucide-react';
import { memo } from 'react';
import { ScrollBox } from '../../components/scroll-box.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface StepViewProps {
  readonly part: StepFrame | ToolCallFrame;
  readonly isLive: boolean;
}

/** A step of the agent: a line that expands to show its arguments and result. It stays expanded while the step changes. The steps of a sub-agent are indented. */
export const StepView = memo(function StepView({ part, isLive }: StepViewProps) {
  const { t } = useChatTexts();
  const step: StepFrame = part.type === 'step' ? part : stepOf(part);
  const state = stateOf(step, isLive);
  const Icon = { running: LoaderCircle, notRun: CircleDashed, failed: X, ok: Check }[state];
  const args = readableArgs(step.args);
  return (
    <details
      className={`group my-1 rounded-lg border border-line bg-raised ${step.parent === undefined ? '' : 'ms-6'}`}
      data-state={state}
    >
      <summary className="flex min-h-9 items-center gap-2 px-3 py-1.5 select-none [&::-webkit-details-marker]:hidden">
        <Icon role="img" aria-label={t(`part.${state}`)} className={`size-4 shrink-0 ${COLORS[state]}`} />
        <span dir="auto" className="from-start min-w-0 flex-1 truncate">
          {step.step ?? step.tool_name ?? t('part.step')}
        </span>
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-soft group-open:rotate-90 rtl:-scale-x-100" />
      </summary>
      <Field title={t('part.given')} text={args} />
      <Field title={t('part.result')} text={step.result ?? ''} />
    </details>
  );
});

const COLORS = { running: 'animate-spin text-ink-soft', notRun: 'text-ink-soft', failed: 'text-bad', ok: 'text-good' };

function stepOf({ tool, args }: ToolCallFrame): StepFrame {
  return { type: 'step', step: tool, args: jsonText(args) ?? '', ok: true };
}

function stateOf({ ok, pending, result }: StepFrame, isLive: boolean): keyof typeof COLORS {
  if (ok === undefined && pending) return 'notRun';
  if (ok === undefined && isLive) return 'running';
  if (ok !== false) return 'ok';
  // The agent's result starts this way when a call waits for approval or was skipped for another reason: nothing has failed.
  return result?.startsWith('Not run:') ? 'notRun' : 'failed';
}

function Field({ title, text }: { readonly title: string; readonly text: string }) {
  if (text === '') return null;
  return (
    <div className="border-t border-line px-3 py-2">
      <p className="text-xs text-ink-soft">{title}</p>
      <ScrollBox label={title} dir="auto" className="max-h-60">
        <pre className="font-mono text-xs leading-5 whitespace-pre-wrap">{text}</pre>
      </ScrollBox>
    </div>
  );
}

/** Formats the arguments of a tool call, an object or JSON text, as indented JSON. Returns '' for undefined. */
export function readableArgs(args: unknown): string {
  if (args === undefined) return '';
  if (typeof args !== 'string') return JSON.stringify(args, null, 2);
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // The JSON is incomplete while the arguments stream.
    return args;
  }
}
