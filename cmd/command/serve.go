package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gpureplay/replay/report"
	"gpureplay/replay/serve"
)

func init() { register((*app).serveCommand) }

// serveHelp is the long help of serve.
const serveHelp = `serve shows the tables under OUT in a browser: the report, and each table with filters,
sorting and a plot that zooms. The address of the page holds filters, order and zoom.

The page answers this machine alone (127.0.0.1) and needs no network. Ctrl-C ends it. A
capture or a trace is replayed first, as report does.`

func (a *app) serveCommand() *cobra.Command {
	var port uint16
	var side jobs
	c := &cobra.Command{
		Use:     "serve OUT|CAPTURE",
		Short:   "the report and the tables as a page in a browser, with filters, sorting and zoom",
		Long:    serveHelp,
		Example: "  replay serve replay-out\n  replay serve --port=8080 sweep-out",
		Args:    exactly(1, "one folder of tables or a capture"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if _, err := os.Stat(args[0]); err != nil {
				return fmt.Errorf("no such folder or capture: %s: replay or sweep with -o %s first", args[0], args[0])
			}
			dir, changes, err := a.tablesFor(ctx, args[0], side)
			if err != nil {
				return err
			}
			page, err := serve.New(dir, report.Options{WhatIfs: changes})
			if err != nil {
				return err
			}
			return a.servePage(ctx, port, page)
		},
	}
	side.register(c.Flags())
	c.Flags().Uint16Var(&port, "port", 0, "`PORT` of 127.0.0.1 (default: one that is free)")
	return c
}

// servePage answers requests until the context ends. It fails if the port is taken.
func (a *app) servePage(ctx context.Context, port uint16, page http.Handler) error {
	at, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		var why syscall.Errno
		if errors.As(err, &why) {
			err = why // without Go's "listen tcp4"
		}
		return fmt.Errorf("serve: --port=%d: %w: choose another, or none", port, err)
	}
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(a.out, "http://%s/\n", at.Addr())
	if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
