// Command plots draws the plots of docs/performance.md from docs/plots/measured.json. It is a module of its own, outside of go.work, so
// that nobody inherits its library:
//
//	cd docs/plots && GOWORK=off go run .
package main

import (
	"encoding/json"
	"fmt"
	"image/color"
	"log"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// chart is one file. Values are ratios to the same work in C, one of each series for each label.
type chart struct {
	File, Title, X string
	Labels         []string
	Series         []struct {
		Name   string
		Values []float64
	}
}

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("plots: ", err)
	}
}

func run() error {
	text, err := os.ReadFile("measured.json")
	if err != nil {
		return err
	}
	var charts []chart
	if err := json.Unmarshal(text, &charts); err != nil {
		return fmt.Errorf("measured.json: %w", err)
	}
	for _, c := range charts {
		if err := c.draw(); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	return nil
}

// draw writes the file: lines over the labels, with C at 1, on a logarithmic scale.
func (c *chart) draw() error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, "time, C = 1"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, ticks{}
	p.Legend.Top = true
	p.NominalX(c.Labels...)
	one := plotter.NewFunction(func(float64) float64 { return 1 })
	one.Color, one.Width = color.Gray{Y: 120}, vg.Points(1)
	p.Add(plotter.NewGrid(), one)
	for i, s := range c.Series {
		if len(s.Values) != len(c.Labels) {
			return fmt.Errorf("%s has %d values for %d labels", s.Name, len(s.Values), len(c.Labels))
		}
		points := make(plotter.XYs, len(s.Values))
		for x, y := range s.Values {
			points[x] = plotter.XY{X: float64(x), Y: y}
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		dots.Color, dots.Shape = plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, dots)
		p.Legend.Add(s.Name, line, dots)
	}
	return p.Save(16*vg.Centimeter, 9*vg.Centimeter, c.File)
}

// ticks are the numbers at the scale of ratios.
type ticks struct{}

func (ticks) Ticks(least, most float64) (all []plot.Tick) {
	for _, v := range []float64{.05, .1, .2, .5, 1, 2, 5, 10, 20, 50} {
		if v >= least && v <= most {
			all = append(all, plot.Tick{Value: v, Label: fmt.Sprint(v)})
		}
	}
	return all
}
