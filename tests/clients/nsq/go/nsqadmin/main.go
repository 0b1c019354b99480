// The real nsqadmin, as `nsqd` beside it.
package main

import (
	"flag"
	"log"

	"github.com/nsqio/nsq/nsqadmin"
)

func main() {
	o := nsqadmin.NewOptions()
	var nsqd, lookup string
	flag.StringVar(&o.HTTPAddress, "http-address", "127.0.0.1:4171", "")
	flag.StringVar(&nsqd, "nsqd-http-address", "", "")
	flag.StringVar(&lookup, "lookupd-http-address", "", "")
	flag.Parse()
	if nsqd != "" {
		o.NSQDHTTPAddresses = []string{nsqd}
	}
	if lookup != "" {
		o.NSQLookupdHTTPAddresses = []string{lookup}
	}
	server, err := nsqadmin.New(o)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(server.Main())
}
