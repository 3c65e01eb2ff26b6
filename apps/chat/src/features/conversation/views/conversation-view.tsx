import { Button, ErrorNote, IconButton, Skeleton } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { useAgent } from '../../../api/agent-context.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { ExampleGallery } from '../../examples/example-gallery.tsx';
import { prepareFormulas } from '../../markdown/views/formula.tsx';
import { MessageList } from '../groups/message-list.tsx';
import { scrollToMessage } from '../groups/scroll-to-message.ts';
import type { Item } from '../state/items.ts';
import { useOpenChat } from '../state/open-chat-context.ts';
import { AnswerView, preparePartView } from './answer-view.tsx';
import { QuestionView } from './question-view.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

/** The open chat, or a welcome page with suggestions when the chat is empty. */
export function ConversationView() {
  const { t } = useChatTexts();
  const { conversation, drafts, target } = useOpenChat();
  const targetSeq = useStore(target);
  const { config } = useAgent();
  const { items, phase, problem, isLost, isMissing, chatId } = useStore(conversation.state);
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAway, toEnd } = useStickToBottom(scroller, content);
  const lastQuestion = items.findLastIndex(({ kind }) => kind === 'question');
  const isIdle = phase === 'idle';
  // biome-ignore lint/correctness/useExhaustiveDependencies: another chat or a new question scrolls to the bottom
  useEffect(toEnd, [chatId, lastQuestion]);
  useEffect(() => {
    if (targetSeq === undefined || phase === 'loading' || !scroller.current) return;
    target.set(undefined);
    const index = items.findLastIndex(({ seq }) => seq !== undefined && seq <= targetSeq);
    if (index >= 0) scrollToMessage(scroller.current, index);
  }, [target, targetSeq, phase, items]);
  useEffect(preparePartView, []);
  useEffect(() => {
    // Typing leaves time to load the formula renderer; a formula that renders late would move the text around it.
    addEventListener('input', prepareFormulas, { once: true });
    return () => removeEventListener('input', prepareFormulas);
  }, []);
  const onVersion = useCallback((seq: number) => void conversation.showVersion(seq), [conversation]);
  const onRate = config.auth ? conversation.rate : undefined;
  const onAgain = useCallback(() => void conversation.retry(), [conversation]);
  const onContinue = useCallback(() => void conversation.send(t('message.goOn')), [conversation, t]);
  const onDiscard = useCallback(() => {
    const { chatId: before } = conversation.state.get();
    conversation.discard();
    if (conversation.state.get().chatId === before) return;
    // The chat had nothing else and is new again: it keeps the text that the person is writing.
    drafts.write(drafts.read(before));
    drafts.write(undefined, before);
  }, [conversation, drafts]);
  const onResume = useCallback(() => void conversation.resume(), [conversation]);
  // Only the last question and the items after it have actions or change while an answer streams.
  const tailFrom = Math.max(0, Math.min(lastQuestion, items.length - 1));
  const count = items.length;
  const draw = useCallback(
    (item: Item, index: number) =>
      item.kind === 'question' ? (
        <QuestionView
          key={index}
          item={item}
          onEdit={isIdle && item.seq !== undefined ? (text) => void conversation.edit(text, index) : undefined}
          onVersion={isIdle ? onVersion : undefined}
        />
      ) : (
        <AnswerView key={index} item={item} onRate={onRate} />
      ),
    [conversation, isIdle, onVersion, onRate],
  );
  const drawTail = useCallback(
    (item: Item, index: number) => {
      if (index < tailFrom) return draw(item, index);
      const isEnd = index === count - 1;
      return item.kind === 'question' ? (
        <QuestionView
          key={index}
          item={item}
          onEdit={isIdle ? (text) => void conversation.edit(text, index) : undefined}
          onVersion={isIdle ? onVersion : undefined}
          onRetry={isIdle ? onAgain : undefined}
          onDiscard={isIdle ? onDiscard : undefined}
        />
      ) : (
        <AnswerView
          key={index}
          item={item}
          isLost={isLost && isEnd}
          onAgain={isIdle && isEnd && lastQuestion >= 0 ? onAgain : undefined}
          onContinue={isIdle && isEnd ? onContinue : undefined}
          onResume={isIdle && isEnd ? onResume : undefined}
          onRate={onRate}
        />
      );
    },
    [
      draw,
      conversation,
      onVersion,
      onRate,
      tailFrom,
      count,
      isIdle,
      isLost,
      lastQuestion,
      onAgain,
      onContinue,
      onDiscard,
      onResume,
    ],
  );
  return (
    <section
      ref={scroller}
      data-scroller
      aria-label={t('page.conversation')}
      className="relative min-h-0 flex-1 overflow-y-auto"
    >
      <div ref={content} className="mx-auto flex min-h-full max-w-3xl flex-col gap-4 px-4 pt-6 pb-4">
        {problem !== undefined && <ErrorNote error={problem} />}
        {isMissing && <p className="text-ink-soft">{t('chats.missing')}</p>}
        {phase === 'loading' && items.length === 0 && <Skeleton shape="chat" rows={4} />}
        {phase !== 'loading' && items.length === 0 && (
          <Welcome
            title={config.title}
            icon={config.favicon}
            description={config.description}
            suggestions={config.suggestions ?? []}
            onChoose={(text) => void conversation.send(text)}
          >
            {config.examples_enabled && <ExampleGallery />}
          </Welcome>
        )}
        <MessageList items={items} scroller={scroller} draw={draw} drawTail={drawTail} tailFrom={tailFrom} />
      </div>
      {isAway && (
        <div className="pointer-events-none sticky bottom-3 z-20 flex justify-center">
          <IconButton
            icon={ArrowDown}
            label={t('message.down')}
            className="pointer-events-auto rounded-full! border border-line bg-raised shadow-lg"
            onClick={toEnd}
          />
        </div>
      )}
    </section>
  );
}

interface WelcomeProps {
  readonly title: string;
  /** URL of the agent's icon. */
  readonly icon: string;
  readonly description: string | undefined;
  readonly suggestions: readonly string[];
  onChoose(text: string): void;
  readonly children?: ReactNode;
}

function Welcome({ title, icon, description, suggestions, onChoose, children }: WelcomeProps) {
  return (
    <div className="m-auto flex w-full max-w-xl flex-col items-center gap-4 py-12 text-center">
      <img src={icon} alt="" className="size-12 rounded-xl" />
      <h2 dir="auto" className="max-w-full text-2xl font-semibold text-balance wrap-anywhere">
        {title}
      </h2>
      {description !== undefined && (
        <p dir="auto" className="text-base text-pretty text-ink-soft">
          {description}
        </p>
      )}
      <div className="flex flex-wrap justify-center gap-2">
        {[...new Set(suggestions)].map((text) => (
          <Button
            key={text}
            dir="auto"
            className="h-auto! min-h-9 max-w-full rounded-full! px-4 py-1.5 whitespace-normal!"
            onClick={() => onChoose(text)}
          >
            {text}
          </Button>
        ))}
      </div>
      {children}
    </div>
  );
}
