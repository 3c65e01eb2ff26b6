import type { SHELLS } from './suggest.ts';

/**
 * The scripts that shells load. They ask `berth completion suggest` at each Tab, so they fit every version of the commands. Errors are
 * silent: a message would break the line that is being typed.
 */
export const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_berth() {
  local IFS=$'\\n'
  COMPREPLY=($(berth completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _berth berth
`,
  zsh: `#compdef berth
_berth() {
  local -a found
  found=("\${(@f)$(berth completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
if (( $+functions[compdef] )); then compdef _berth berth; fi
`,
  fish: `complete -c berth -a '(berth completion suggest -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
