import { DirectionProvider } from '@base-ui/react/direction-provider';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { createFormats, type Formats } from './formats.ts';
import { directionOf, type Language } from './languages.ts';
import { formatMessage, type Message, type Messages, type MessageValues } from './messages.ts';
import { PART_TEXTS, type PartMessages } from './part-texts.ts';

/** Texts and formats in the current language. */
export interface Texts<Source extends Messages> {
  readonly language: Language;
  readonly direction: 'ltr' | 'rtl';
  readonly formats: Formats;
  t(key: keyof Source & string, values?: MessageValues): string;
}

const TextContext = createContext<Texts<Messages> | undefined>(undefined);

export interface TextProviderProps {
  readonly language: Language;
  /** The page's own texts; those of shared components are added. */
  readonly messages: Messages;
  readonly children: ReactNode;
}

/** Provides texts to its children, and sets the document's language and direction. */
export function TextProvider({ language, messages, children }: TextProviderProps) {
  const texts = useMemo<Texts<Messages>>(() => {
    const all: Messages = { ...PART_TEXTS[language], ...messages };
    return {
      language,
      direction: directionOf(language),
      formats: createFormats(language),
      t: (key, values) => formatMessage(all[key] as Message, language, values),
    };
  }, [language, messages]);
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = texts.direction;
  }, [language, texts.direction]);
  return (
    <TextContext value={texts}>
      <DirectionProvider direction={texts.direction}>{children}</DirectionProvider>
    </TextContext>
  );
}

/** Returns the current texts. Each page wraps it in a hook with the type of its own texts. */
export function useTexts<Source extends Messages>(): Texts<Source & PartMessages> {
  const texts = useContext(TextContext);
  if (!texts) throw new Error('useTexts outside of TextProvider');
  return texts as Texts<Source & PartMessages>;
}
