# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash. bash-completion loads this file automatically if it is below the
# prefix of the system. Otherwise, run
# `. PREFIX/share/bash-completion/completions/gmsim`.
# doc/completion/make-completion makes it from the output of the programs.

# Set words, names, operand and options to the arguments that a program or command
# accepts. An option is OPTION:?:KIND; the ? is present if the value is optional.
_gmqos_table()
{
    words='' names='' operand='' options=''
    case $1 in
@table@
    esac
}

# Complete files with an ending, and directories.
_gmqos_files()
{
    local pattern
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(
        for pattern; do compgen -f -X "!*.$pattern" -- "$cur"; done
        compgen -d -- "$cur"
    )
}

# Complete the cluster descriptions of the installation.
_gmqos_delivered()
{
    local folder

    folder=$(command -v gmsim) || return
    folder=${folder%/bin/*}/share/gmqos/clusters
    mapfile -t COMPREPLY < <(cd "$folder" 2> /dev/null &&
        compgen -f -X '!*.yaml' -P "$folder/" -- "$cur")
}

_gmqos_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# Complete the value of an option of a kind.
_gmqos_kind()
{
    case $1 in
    yaml)
        _gmqos_files yaml yml
        [ "${#COMPREPLY[@]}" != 0 ] || _gmqos_delivered
        ;;
    csv | svg | dot | json | md) _gmqos_files "$1" ;;
    file) compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    folder) compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    none | '') COMPREPLY=() ;;
    *) _gmqos_words "${1//|/ }" ;;
    esac
}

# Set kind to the kind of the option's value; return 1 if the option has no value.
_gmqos_kind_of()
{
    local entry
    for entry in $options; do
        if [ "${entry%%:*}" = "$1" ]; then
            kind=${entry#*:}
            kind=${kind#*:}
            [ -n "$kind" ] || return 1
            # a value after a blank must belong to an option that requires one
            [ "${2-}" != must ] || [[ $entry != *:\?:* ]]
            return
        fi
    done
    return 1
}

# Complete the arguments of one program: the words (COMP_WORDS) from `first` on.
_gmqos_program()
{
    local key=$1 first=$2 words names operand options kind entry i word count=0
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

    COMPREPLY=()
    _gmqos_table "$key"
    # bash splits "--load=7" into three words
    if [ "$cur" = = ]; then
        cur=
        _gmqos_kind_of "$prev" && _gmqos_kind "$kind"
        return
    elif [ "$prev" = = ] && ((COMP_CWORD > first + 1)); then
        _gmqos_kind_of "${COMP_WORDS[COMP_CWORD - 2]}" && _gmqos_kind "$kind"
        return
    elif ((COMP_CWORD > first)) && _gmqos_kind_of "$prev" must; then
        _gmqos_kind "$kind"
        return
    fi
    if [[ $cur == -* ]]; then
        for entry in $options; do
            word=${entry%%:*}
            [[ $word == "$cur"* ]] || continue
            # append = to an option with a value, because no blank precedes the value
            [[ $word != --* || $entry == *: || $entry == *:\?:* ]] || word=$word=
            COMPREPLY+=("$word")
        done
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] ||
            compopt -o nospace 2> /dev/null
        return
    fi
    for ((i = first; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) ;;
        =) ((i++)) ;;
        *)
            if ((i == first)) || ! _gmqos_kind_of "${COMP_WORDS[i - 1]}" must; then
                ((count++))
            fi
            ;;
        esac
    done
    if [ -n "$words" ] && [ "$count" = 0 ]; then
        _gmqos_words "$words"
    elif [ -n "$names" ]; then
        _gmqos_words "$names"
    elif [ -n "$operand" ]; then
        [[ $key,${COMP_WORDS[first]} != 'gmsim config,import' ]] || operand='file'
        _gmqos_kind "$operand"
    fi
}

# Complete gmsim: a command, then the arguments of this command.
_gmqos_gmsim()
{
    local first=$1 cur=${COMP_WORDS[COMP_CWORD]} i

    for ((i = first; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            _gmqos_program "gmsim ${COMP_WORDS[i]}" $((i + 1))
            return
        fi
    done
    if [[ $cur == -* ]]; then
        _gmqos_program gmsim "$first"
    else
        _gmqos_words '@commands@'
    fi
}

_gmqos()
{
    local name=${COMP_WORDS[0]##*/}

    if [ "$name" = gmsim ]; then
        _gmqos_gmsim 1
    else
        _gmqos_program "$name" 1
    fi
}

# Complete mpirun: its own options, then a program, then the program's arguments.
_gmqos_mpirun()
{
    local cur=${COMP_WORDS[COMP_CWORD]} i word

    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        -n | -np | -ppn | -hosts | -f | -wdir | -env | -genv | -envlist | -genvlist | -configfile)
            ((i++))
            [[ $word != -env && $word != -genv ]] || ((i++))
            ;;
        -*) ;;
        *)
            # shellcheck disable=SC2194 # make-completion inserts the programs
            case " @programs@ " in
            *" ${word##*/} "*)
                if [ "${word##*/}" = gmsim ]; then
                    _gmqos_gmsim $((i + 1))
                else
                    _gmqos_program "${word##*/}" $((i + 1))
                fi
                ;;
            *) compopt -o default 2> /dev/null ;;
            esac
            return
            ;;
        esac
    done
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    -n | -np | -ppn | -hosts | -env | -genv | -envlist | -genvlist) return ;;
    -f | -configfile) _gmqos_kind file; return ;;
    -wdir) _gmqos_kind folder; return ;;
    esac
    if [[ $cur == -* ]]; then
        _gmqos_words '-n -np -ppn -rr -hosts -f -wdir -env -genv -configfile -help'
    elif [[ $cur == */* ]]; then
        _gmqos_kind file
    else
        mapfile -t COMPREPLY < <(compgen -W '@programs@' -- "$cur"; compgen -c -- "$cur" | sort -u)
    fi
}

complete -F _gmqos @programs@
complete -F _gmqos_mpirun mpirun mpiexec
