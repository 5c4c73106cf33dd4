package spec

import "go.yaml.in/yaml/v3"

// ConfigFile is the name of the file that says what a folder's package is generated from.
const ConfigFile = "verbsgen.yaml"

// Config is the content of ConfigFile. Each setting has the flag of verbsgen generate of the same name.
type Config struct {
	Release  string
	Module   string
	Package  string
	Families []string          // parts of the library
	Only     []string          // C functions, as globs
	Specs    []string          `page:"key=spec"` // folders of further pages
	Imports  map[string]string `page:"key=import"`

	// Line is the line of each setting that is given.
	Line map[string]int `page:"-"`
}

// ParseConfig reads the file; its name is for errors.
func ParseConfig(file string, data []byte) (*Config, error) {
	c := &Config{Line: map[string]int{}}
	d := &decoder{file: file, maxNodes: maxPageNodes}
	if n := d.root(data, ConfigFile); n != nil {
		d.read(c, n, n, place{ConfigFile, ""})
	}
	if len(d.errs) > 0 {
		return nil, d.errs
	}
	return c, nil
}

func (c *Config) check(_ *decoder, _, n *yaml.Node, _ place, _ bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		c.Line[n.Content[i].Value] = n.Content[i+1].Line
	}
}
