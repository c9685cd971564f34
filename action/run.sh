#!/usr/bin/env bash
# Records a program, compares it with recordings of the base branch, and writes a summary and SARIF. For any build server: settings come as variables of the
# environment (action.yml, docs/ci.md), and the exit status is that of assay diff.
set -euo pipefail

command=${ASSAY_COMMAND:?is the program to be recorded, as a shell takes it}
runs=${ASSAY_RUNS:-3}
base=${ASSAY_BASE:-assay-base}
output=${ASSAY_OUTPUT:-assay-new}
read -r -a assay <<< "${ASSAY:-npx --yes assay}"
[[ $runs =~ ^[1-9][0-9]?$ ]] || { echo "assay: ASSAY_RUNS takes a number from 1 on, not \"$runs\"" >&2; exit 2; }

# The words of the command, as the shell of the one who wrote it splits them.
eval "words=($command)"
mkdir -p "$output"
for ((run = 1; run <= runs; run++)); do
	"${assay[@]}" record -o "$output/run-$run" -- "${words[@]}"
done

summary=$output/summary.md
sarif=$output/findings.sarif
"${assay[@]}" export "$output/run-1" --to sarif -o "$sarif" || sarif=

status=0
if [[ -d $base/run-1 ]]; then
	arguments=("$base/run-1" "$output/run-1" --markdown)
	for ((run = 2; run <= runs; run++)); do
		[[ -d $base/run-$run ]] && arguments+=(--repeat-a "$base/run-$run")
		arguments+=(--repeat-b "$output/run-$run")
	done
	while IFS= read -r condition; do
		[[ -n $condition ]] && arguments+=("--fail-on=$condition")
	done <<< "${ASSAY_FAIL_ON:-}"
	"${assay[@]}" diff "${arguments[@]}" > "$summary" || status=$?
else
	{
		echo '### assay'
		echo
		echo "There are no recordings of the base branch in \`$base\` yet: nothing is compared."
		echo
		echo '```'
		"${assay[@]}" report "$output/run-1"
		echo '```'
	} > "$summary" || status=$?
fi

[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || cat "$summary" >> "$GITHUB_STEP_SUMMARY"
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
	printf 'status=%s\nsummary=%s\nsarif=%s\n' "$status" "$summary" "$sarif" >> "$GITHUB_OUTPUT"
fi
cat "$summary"
exit "$status"
