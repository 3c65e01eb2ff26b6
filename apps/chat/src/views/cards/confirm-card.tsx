import type { UiFrame } from '@berth/contract/agent';
import { Button } from '@berth/web';
import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import { visible } from '../../state/sources/visible.ts';
import type { Decision } from '../../state/turn/chat-calls.ts';
import { messageOf } from '../../state/turn/items.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { ScrollBox } from '../parts/scroll-box.tsx';

export interface ConfirmCardProps {
  readonly frame: UiFrame;
  onDecide(decision: Decision): Promise<void>;
}

const DECISIONS: readonly Decision[] = ['approve', 'always', 'deny'];

/** Asks whether a tool may run, with what it would be given. */
export function ConfirmCard({ frame, onDecide }: ConfirmCardProps) {
  const { t } = useChatTexts();
  const [decided, setDecided] = useState<Decision | undefined>();
  const [problem, setProblem] = useState('');
  const name = visible(String(frame['tool'] ?? ''));
  const label = visible(String(frame['label'] ?? name));
  const connector = frame['connector'] === undefined ? undefined : visible(String(frame['connector']));
  const decide = async (decision: Decision) => {
    setDecided(decision);
    setProblem('');
    try {
      await onDecide(decision);
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
      {/* Its label may say anything: this is what it is. */}
      <p dir="auto" className="mt-1 text-xs text-ink-soft">
        {connector === undefined ? t('card.tool', { name }) : t('card.toolOf', { name, connector })}
      </p>
      {frame['args'] !== undefined && (
        <ScrollBox label={t('card.args')} dir="ltr" className="mt-2 max-h-60 rounded-md bg-sunken p-3">
          <pre className="font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {visible(JSON.stringify(frame['args'], null, 2))}
          </pre>
        </ScrollBox>
      )}
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
      </div>
      <p role="status" className="text-bad not-empty:mt-2">
        {problem}
      </p>
    </section>
  );
}
