package ir
import ("testing";"os";"hyptx/parser";"runtime";"fmt")
func TestZZ(t *testing.T){ 
 for _,f:=range []string{"labels","pbra","brx","lbra"}{
 b,_:=os.ReadFile("/tmp/rd/t/"+f+".ptx")
 var m0,m1 runtime.MemStats; runtime.GC(); runtime.ReadMemStats(&m0)
 m,err:=parser.Open("x",b); if err!=nil{t.Fatal(err)}
 mod,err:=Lower(m); if err!=nil{t.Fatal(err)}
 runtime.ReadMemStats(&m1); tot:=m1.TotalAlloc-m0.TotalAlloc
 runtime.GC(); runtime.ReadMemStats(&m1)
 fmt.Println(f,"total",tot>>20,"live",(m1.HeapAlloc-m0.HeapAlloc)>>20, len(b)>>20)
 runtime.KeepAlive(mod)
 }
}
