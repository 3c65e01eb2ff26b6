/** A pattern that people stumble over, and what to say instead. */
export interface Pattern {
  readonly pattern: RegExp;
  readonly instead: string;
  /** The kinds of text that it is looked for in; all of them when absent. */
  readonly kinds?: readonly ('string' | 'doc comment' | 'prose')[];
}

/** Begins a sentence: at the start of a text, behind the end of another sentence, behind a colon or in a cell of a table. */
const START = '(?:^\\s*|[.!?…:;|]\\s+|\\*\\*|\\()';
/** Goes to the end of the sentence, which is no question. */
const NO_QUESTION = '(?![^.!?]*\\?)';

/** What the check looks for. American spelling follows; wire values such as `cancelled` are no prose and not read. */
export const PATTERNS: readonly Pattern[] = [
  { pattern: /\bcan not\b/i, instead: '"cannot"' },
  { pattern: new RegExp(`${START}(?:What|Who|Whom|Whose)\\b(?!'s)${NO_QUESTION}`), instead: 'name the subject' },
  { pattern: new RegExp(`${START}Of (?!course)${NO_QUESTION}`), instead: 'name the subject first' },
  {
    pattern: /\b(?:some|any|every|no)body\b/i,
    instead: '"someone", "no one", or the role: owner, admin, member, guest',
  },
  { pattern: /\bwho(?:m|se)?ever\b/i, instead: 'the role: owner, admin, member, the caller, the operator' },
  { pattern: /\bwho (?:is|are) gone\b/i, instead: '"removed", "a former member"' },
  { pattern: /\b(?:anew|afresh)\b/i, instead: '"again", "reload", "restart", "new"' },
  { pattern: /\bgood (?:for nothing|for no|no more)\b/i, instead: '"invalid", "expired"' },
  { pattern: /\bby now\b/i, instead: '"already", "since", "has changed"' },
  { pattern: /\bonce more\b/i, instead: '"again"' },
  { pattern: /\b(?:is|are|was|were) away\b(?! from)/i, instead: '"cannot be reached", "is not running"' },
  { pattern: /\bbecame? of\b/i, instead: '"result", "status", "history"' },
  { pattern: /\b(?:had|have|has|having)(?: (?:it|them))? back\b/i, instead: '"restored", "recovered"' },
  { pattern: /\b(?:take|takes|taken|taking|took)(?: (?:it|them))? back\b/i, instead: '"revoke", "withdraw", "undo"' },
  { pattern: /\bleads? (?:here|nowhere)\b/i, instead: '"active", "resolves to", "does not exist"' },
  { pattern: /\b(?:named|called|spelled) so\b/i, instead: '"No such …"' },
  { pattern: /\bno \w+ is written (?:so|like)\b|\bwritten like this\b/i, instead: '"Not a valid …"' },
  { pattern: /\blike (?:this|that)[.,;]/i, instead: 'name it' },
  { pattern: /\b(?:the )?ones? before\b(?! \w)/i, instead: '"the previous revision", "the previous …"' },
  { pattern: /\bwhat (?:serves|served)\b/i, instead: '"the live revision", "the current revision"' },
  { pattern: /\b(?:is|are) there already\b/i, instead: '"already exists"' },
  { pattern: /\b(?:is|are)(?:n't| not) whole\b/i, instead: '"incomplete", "damaged"' },
  { pattern: /\bfor long\b/i, instead: '"for a long time", or how long' },
  { pattern: /\bat the most\b/i, instead: '"at most"' },
  { pattern: /\btells? apart\b/i, instead: '"distinguishes"' },
  { pattern: /\bgo(?:es)? on by (?:it|them)sel(?:f|ves)\b/i, instead: '"continues automatically"' },
  { pattern: /\blongest request\b/i, instead: '"request timeout"' },
  { pattern: /^most instances\b(?! \w)/i, instead: '"maximum instances"' },
  { pattern: /\bwaiting lines?\b/i, instead: '"queue"' },
  {
    pattern: /\b(?:upkeep|tending|shelf|shelves|teller)\b/i,
    instead: '"compaction", "retention", "rollover", "event writer"',
  },
  { pattern: /\bkeep a visitor with\b/i, instead: '"session affinity"' },
  {
    pattern:
      /\b(?:un)?(?:(?:col|behavi|fav|hon|neighb|lab|harb)our\w*|(?:cancel|label|model|travel|signal)l(?:ed|ing|er)\b|catalogues?|cent(?:re|res|red)|licence\w*|grey|analys(?:e|ed|es|ing)\b|artefacts?|judgement|fulfil(?:s|ment)?\b|whilst|amongst|(?:initial|organ|recogn|serial|normal|author|minim|maxim|optim|custom|summar|synchron|categor|final|general|visual|priorit|util|real|token|sanit)is(?:e|ed|es|er|ers|ing|ation|ations)\b)/i,
    instead: 'American spelling',
  },
];
