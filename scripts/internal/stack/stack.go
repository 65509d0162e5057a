// Package stack deploys template.yaml to a local AWS: the functions as they are
// built for Lambda, behind the gateway, over the table, woken by the scheduler.
// It needs `make venv`, and neither Docker nor an account.
package stack

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"pocbakery/pkg/local"
	"pocbakery/scripts/ministack"
)

const (
	// Name is the deployed stack's.
	Name = "bakery"

	secretsParameter = "/pocbakery/dev/secrets"
	masterBytes      = 32
	// killAfter is how long a tool gets to end by itself when it is interrupted.
	killAfter = 10 * time.Second
)

// Stack is the bakery as it is deployed.
type Stack struct {
	URL     string            // where the gateway answers; its host is not one that DNS knows
	Outputs map[string]string // of the template

	server     *ministack.Server
	siteverify *http.Server
	dir        string
}

// Up builds, starts a local AWS on 127.0.0.1 at this port (0 for a free one),
// and deploys to it. What the tools say goes to log when they fail.
func Up(ctx context.Context, port int) (*Stack, error) {
	venv, err := ministack.Venv()
	if err != nil {
		return nil, err
	}
	s := &Stack{}
	if s.dir, err = os.MkdirTemp("", "stack-"); err != nil {
		return nil, err
	}
	if err := s.up(ctx, venv, port); err != nil {
		return nil, errors.Join(err, s.Down())
	}
	return s, nil
}

func (s *Stack) up(ctx context.Context, venv string, port int) error {
	root := filepath.Dir(filepath.Dir(venv))
	architecture := map[string]string{"amd64": "x86_64", "arm64": "arm64"}[runtime.GOARCH]
	built := filepath.Join(s.dir, "build")
	sam := filepath.Join(venv, "bin", "sam")
	err := s.run(ctx, root, []string{"ARCH=" + architecture}, sam, "build", "--build-in-source", "--build-dir", built,
		"--template", filepath.Join(root, "template.yaml"), "--parameter-overrides", "Architecture="+architecture)
	if err != nil {
		return err
	}
	if port, err = free(port); err != nil {
		return err
	}
	endpoint := fmt.Sprintf("http://127.0.0.1:%d", port)
	// The functions get the server's environment, and there find AWS.
	if s.server, err = ministack.Start(ctx, port, "AWS_ENDPOINT_URL="+endpoint); err != nil {
		return err
	}
	siteverify, err := s.serveSiteverify()
	if err != nil {
		return err
	}
	if err := s.putSecrets(ctx); err != nil {
		return err
	}
	err = s.run(ctx, s.dir, nil, sam, "deploy", "--template-file", filepath.Join(built, "template.yaml"), "--stack-name", Name,
		"--resolve-s3", "--capabilities", "CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "--no-confirm-changeset",
		"--parameter-overrides", "Architecture="+architecture, "SecretsParameter="+secretsParameter, "SiteverifyAddress="+siteverify)
	if err != nil {
		return err
	}
	return s.readOutputs(ctx, sam)
}

// run runs a tool, and tells what it said where it failed.
func (s *Stack) run(ctx context.Context, dir string, env []string, name string, args ...string) error {
	_, err := s.output(ctx, dir, env, name, args...)
	return err
}

func (s *Stack) output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = killAfter
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "AWS_") { // nobody's account
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "SAM_CLI_TELEMETRY=0", "AWS_REGION="+ministack.Region, "AWS_DEFAULT_REGION="+ministack.Region,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
	if s.server != nil {
		cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL="+s.server.URL)
	}
	cmd.Env = append(cmd.Env, env...)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), args[0], err, &out, &said)
	}
	return out.Bytes(), nil
}

// serveSiteverify starts the stand-in of the human check's other side, and
// returns its address.
func (s *Stack) serveSiteverify() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.siteverify = &http.Server{Handler: local.NewSiteverify(time.Now), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.siteverify.Serve(l) }()
	return "http://" + l.Addr().String() + local.SiteverifyPath, nil
}

// Config is how AWS is asked here.
func (s *Stack) Config() aws.Config {
	return aws.Config{
		Region: ministack.Region, BaseEndpoint: &s.server.URL,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	}
}

// putSecrets makes the parameter that no template can make.
func (s *Stack) putSecrets(ctx context.Context) error {
	master := make([]byte, masterBytes)
	if _, err := rand.Read(master); err != nil {
		return err
	}
	value, err := json.Marshal(map[string][]string{"masters": {base64.StdEncoding.EncodeToString(master)}})
	if err != nil {
		return err
	}
	_, err = ssm.NewFromConfig(s.Config()).PutParameter(ctx, &ssm.PutParameterInput{
		Name: aws.String(secretsParameter), Value: aws.String(string(value)), Type: types.ParameterTypeSecureString,
	})
	return err
}

func (s *Stack) readOutputs(ctx context.Context, sam string) error {
	out, err := s.output(ctx, s.dir, nil, sam, "list", "stack-outputs", "--stack-name", Name, "--output", "json")
	if err != nil {
		return err
	}
	var outputs []struct{ OutputKey, OutputValue string }
	if err := json.Unmarshal(out, &outputs); err != nil {
		return fmt.Errorf("the stack's outputs: %w", err)
	}
	s.Outputs = map[string]string{}
	for _, o := range outputs {
		s.Outputs[o.OutputKey] = o.OutputValue
	}
	if s.URL = s.Outputs["Url"]; s.URL == "" {
		return errors.New("the stack has no URL")
	}
	return nil
}

// AWS is where the local AWS answers.
func (s *Stack) AWS() string { return s.server.URL }

// Gone is closed when the local AWS has ended.
func (s *Stack) Gone() <-chan struct{} { return s.server.Gone() }

// Log is the last of what the local AWS and the functions wrote.
func (s *Stack) Log() string { return s.server.Log() }

// Down ends everything and removes what was made.
func (s *Stack) Down() error {
	var err error
	if s.siteverify != nil {
		err = s.siteverify.Close()
	}
	if s.server != nil {
		err = errors.Join(err, s.server.Stop())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// free is a port that nobody has, for 0; else the port.
func free(port int) (int, error) {
	if port != 0 {
		return port, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
