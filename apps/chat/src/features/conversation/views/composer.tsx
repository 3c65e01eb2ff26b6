import { IconButton, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { ArrowUp, Paperclip, Square } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useAgent } from '../../../api/agent-context.ts';
import { messageOf } from '../../../api/message-of.ts';
import { droppedFiles } from '../../../components/dropped-files.ts';
import { useFileDrag } from '../../../components/file-drag.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { VoiceButton } from '../../voice/voice-button.tsx';
import { useOpenChat } from '../state/open-chat-context.ts';
import { AttachmentList } from './attachment-list.tsx';
import { QueueList } from './queue-list.tsx';

/** The message composer: a growing text field that sends on Enter and accepts files from a picker, a paste or a drop anywhere on the page. */
export function Composer() {
  const { t } = useChatTexts();
  const { conversation, drafts, uploads, queue, added } = useOpenChat();
  const addition = useStore(added);
  const { config } = useAgent();
  const { chatId, phase } = useStore(conversation.state);
  const files = useStore(uploads.state);
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const shownOf = useRef<string | undefined>('none yet');
  /** The text in the field now, for work that takes a while. */
  const latest = useRef(text);
  latest.current = text;
  const mayAttach = config.auth;
  const tell = useTell();
  const isRunning = phase === 'running' || phase === 'stopping';

  useEffect(() => {
    const { isMissing, items } = conversation.state.get();
    const before = shownOf.current;
    shownOf.current = chatId;
    const isFirstTurn = before === undefined && items.length > 0;
    if ((isFirstTurn || isMissing) && latest.current !== '') {
      // A new chat has just received its ID, or the chat turned out not to exist: the text that is being written stays.
      drafts.write(undefined, before);
      drafts.write(latest.current, chatId);
    } else {
      setText(drafts.read(chatId) ?? '');
    }
    field.current?.focus();
  }, [chatId, conversation, drafts]);

  const write = (next: string) => {
    setText(next);
    drafts.write(next || undefined, conversation.state.get().chatId);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an addition is written once
  useEffect(() => {
    if (addition === undefined) return;
    added.set(undefined);
    write([latest.current.trim(), addition].filter(Boolean).join('\n\n'));
    field.current?.focus();
  }, [addition, added]);
  const submit = async () => {
    if (text.trim() === '' && files.length === 0) return;
    // Meanwhile the person may type on or open another chat, and a turn may begin: the text stays where it is then.
    const isReady = await conversation.readyAfter(uploads.settled());
    const { chatId: now, phase: then, isSettling } = conversation.state.get();
    // What was written before this message is sent before it.
    const isNext = isSettling && queue.state.get().length > 0;
    const isQueued = now === chatId && (then === 'running' || then === 'stopping' || (isReady && isNext));
    if (!isReady && !isQueued) return;
    // A file whose upload failed stays in the list with its error, and nothing is sent.
    const attached = uploads.state.get();
    const said = latest.current.trim();
    if (attached.some(({ attachment }) => !attachment) || (said === '' && attached.length === 0)) return;
    write('');
    if (isQueued) queue.add(said, uploads.take());
    else await conversation.send(said, uploads.take());
  };
  const attach = (list: FileList | null | undefined) => {
    if (mayAttach && list && list.length > 0) uploads.add([...list]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // During composition, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0 || !mayAttach) return;
    event.preventDefault();
    attach(event.clipboardData.files);
  };
  const onDrop = (data: DataTransfer) => {
    // `dataTransfer.files` does not include the contents of dropped folders; `droppedFiles` does.
    void droppedFiles(data).then(
      (dropped) => {
        uploads.add(dropped.map(({ file }) => file));
        field.current?.focus();
      },
      (error) => tell(messageOf(error)),
    );
  };
  const isDragged = useFileDrag(mayAttach ? onDrop : undefined);

  return (
    <form
      className="mx-auto w-full max-w-3xl px-4 pb-[max(0.5rem,env(safe-area-inset-bottom))]"
      onSubmit={(event) => {
        event.preventDefault();
        if (isRunning) void conversation.stop();
        else void submit();
      }}
    >
      <div className="relative rounded-2xl border border-line-strong bg-raised p-2 shadow-sm focus-within:border-accent">
        <QueueList
          onEdit={(message) => {
            write([message.text, latest.current].filter(Boolean).join('\n'));
            field.current?.focus();
          }}
        />
        <AttachmentList files={files} onRetry={uploads.retry} onRemove={uploads.remove} />
        <div className="flex items-end gap-1">
          {mayAttach && (
            <>
              <IconButton icon={Paperclip} label={t('compose.attach')} onClick={() => picker.current?.click()} />
              <input
                ref={picker}
                type="file"
                multiple
                hidden
                aria-label={t('compose.files')}
                onChange={(event) => {
                  attach(event.target.files);
                  event.target.value = '';
                }}
              />
            </>
          )}
          <textarea
            ref={field}
            id="message"
            rows={1}
            dir="auto"
            aria-label={t('compose.message')}
            aria-describedby="keys"
            placeholder={t('compose.placeholder')}
            value={text}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            className="field-sizing-content max-h-[33vh] min-h-8 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none max-sm:min-h-10 max-sm:text-base"
          />
          {config.voice && (
            <VoiceButton
              onText={(said) => {
                const before = latest.current.trimEnd();
                write(before === '' ? said : `${before} ${said}`);
              }}
            />
          )}
          {isRunning && (text.trim() !== '' || files.length > 0) && (
            <IconButton icon={ArrowUp} label={t('queue.add')} onClick={() => void submit()} />
          )}
          <button
            type="submit"
            aria-label={isRunning ? t('compose.stop') : t('compose.send')}
            disabled={phase === 'stopping' || (!isRunning && text.trim() === '' && files.length === 0)}
            className="inline-flex size-8 shrink-0 items-center justify-center rounded-full bg-accent-ground text-on-accent disabled:opacity-40 max-sm:size-10"
          >
            {isRunning ? (
              <Square aria-hidden className="size-3.5" fill="currentColor" />
            ) : (
              <ArrowUp aria-hidden className="size-4" />
            )}
          </button>
        </div>
      </div>
      {isDragged && (
        // Lets events through: the elements below it, not the hint, are what the files are dragged over.
        <div className="pointer-events-none fixed inset-0 z-40 flex bg-ground/85 p-4">
          <div className="flex flex-1 items-center justify-center rounded-2xl border-2 border-dashed border-accent">
            <p className="flex items-center gap-2 rounded-full bg-raised px-5 py-2.5 text-base font-medium text-accent shadow-lg">
              <Paperclip aria-hidden className="size-5" />
              {t('compose.drop')}
            </p>
          </div>
        </div>
      )}
      <p id="keys" className="mt-1 text-center text-xs text-ink-soft max-sm:sr-only">
        {t('compose.keys')}
      </p>
    </form>
  );
}
