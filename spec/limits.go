package spec

import (
	"fmt"
	"strings"
)

// Limits of a file, so that odd input comes to an end soon and in little memory. The project's largest page has 80 KB.
const (
	maxPage      = 4 << 20 // bytes of a page
	maxNested    = 200     // depth of brackets, and of lists begun on one line
	maxSuggested = 1000    // mistakes of a file for which a fix is looked for
	maxPageNodes = 1 << 20 // lists, mappings, keys and values of a page
	maxListed    = 1000    // entries of a list of a page; what the conditions of a rule become is nested as deep
	maxCaseNodes = 3 << 19 // the same of a file of cases: explain holds them all, in about 1 GiB
	maxExpanded  = 1 << 18 // the same of all rules that are written out for each of their entries
)

// tooMuch finds the place where a text goes beyond the limits, before the YAML parser, which needs much more memory
// than the text, sees it. It counts a little more than the parser would find.
func tooMuch(text string, maxNodes int) (line, col int, problem string, found bool) {
	if deep, over := scanBrackets(text, maxNested); over && deep.depth > maxNested {
		return deep.line, deep.col, fmt.Sprintf("brackets are nested more than %d deep", maxNested), true
	}
	nodes := 0
	for l := range strings.Lines(text) {
		line++
		if col := manyDashes(l); col > 0 {
			return line, col, fmt.Sprintf("more than %d lists begin on this line", maxNested), true
		}
		nodes += 1 + 2*strings.Count(l, "[") + 2*strings.Count(l, "{") + strings.Count(l, ",") + strings.Count(l, ":") + strings.Count(l, "- ")
		if nodes > maxNodes {
			return line, 1, fmt.Sprintf("more than %d lists, mappings and values stand in the file up to here", maxNodes), true
		}
	}
	return 0, 0, "", false
}

// manyDashes returns the column at which a line begins more lists within lists than may be; 0 for another line.
func manyDashes(line string) int {
	dashes := 0
	for i := 0; i+1 < len(line) && strings.IndexByte(" -?", line[i]) >= 0; i++ {
		if line[i] != ' ' && line[i+1] == ' ' {
			if dashes++; dashes > maxNested {
				return i + 1
			}
		}
	}
	return 0
}
