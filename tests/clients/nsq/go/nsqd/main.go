// The real nsqd, to hold tests and benchmarks against: its own command needs a
// library that the module proxy does not have. Prints what depositd prints when
// it is ready.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/nsqio/nsq/nsqd"
)

func main() {
	o := nsqd.NewOptions()
	o.HTTPSAddress = ""
	o.BroadcastAddress = "127.0.0.1"
	auth := ""
	flag.StringVar(&o.TCPAddress, "tcp-address", "127.0.0.1:0", "")
	flag.StringVar(&o.HTTPAddress, "http-address", "127.0.0.1:0", "")
	flag.StringVar(&o.DataPath, "data-path", "", "")
	flag.Int64Var(&o.MemQueueSize, "mem-queue-size", o.MemQueueSize, "")
	flag.Int64Var(&o.SyncEvery, "sync-every", o.SyncEvery, "")
	flag.DurationVar(&o.MsgTimeout, "msg-timeout", o.MsgTimeout, "")
	flag.DurationVar(&o.MaxMsgTimeout, "max-msg-timeout", o.MaxMsgTimeout, "")
	flag.DurationVar(&o.MaxReqTimeout, "max-req-timeout", o.MaxReqTimeout, "")
	flag.DurationVar(&o.MaxHeartbeatInterval, "max-heartbeat-interval",
		o.MaxHeartbeatInterval, "")
	flag.Int64Var(&o.MaxMsgSize, "max-msg-size", o.MaxMsgSize, "")
	flag.Int64Var(&o.MaxBodySize, "max-body-size", o.MaxBodySize, "")
	flag.Int64Var(&o.MaxRdyCount, "max-rdy-count", o.MaxRdyCount, "")
	flag.IntVar(&o.MaxChannelConsumers, "max-channel-consumers",
		o.MaxChannelConsumers, "")
	flag.StringVar(&o.TLSCert, "tls-cert", "", "")
	flag.StringVar(&o.TLSKey, "tls-key", "", "")
	flag.IntVar(&o.TLSRequired, "tls-required", nsqd.TLSNotRequired,
		"1: but not of HTTP")
	flag.StringVar(&auth, "auth-http-address", "", "")
	flag.Parse()
	if auth != "" {
		o.AuthHTTPAddresses = []string{auth}
	}
	server, err := nsqd.New(o)
	if err != nil {
		log.Fatal(err)
	}
	if err := server.LoadMetadata(); err != nil {
		log.Fatal(err)
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if err := server.Main(); err != nil {
			log.Fatal(err)
		}
	}()
	fmt.Printf("ready nsq=%s nsq_http=%s\n", server.RealTCPAddr(),
		server.RealHTTPAddr())
	<-told
	server.Exit()
}
