// Package sass has the mnemonics of NVIDIA's machine code from Kepler to Blackwell: an instruction's class, its
// memory space and its width.
package sass

import (
	"strings"
	"sync"

	"gpureplay/trace"
)

// Opcode is the meaning of a mnemonic.
type Opcode struct {
	Class trace.Class
	Space trace.Space
	Flags trace.InstFlags
	Width uint32 // bytes per thread; 0: no memory access
	Known bool   // false: Class is ClassOther
}

// Classify reads a mnemonic with its dotted modifiers: "LDG.E.64.STRONG.GPU".
func Classify(mnemonic string) Opcode {
	base, modifiers, _ := strings.Cut(mnemonic, ".")
	if m, ok := memory[base]; ok {
		m.Class, m.Known = trace.ClassMemory, true
		m.Width = width(modifiers)
		if m.Space == trace.SpaceGlobal && bypasses(modifiers) {
			m.Flags |= trace.InstBypassL1
		}
		return m
	}
	if class, ok := classes()[base]; ok {
		return Opcode{Class: class, Known: true}
	}
	return Opcode{}
}

// width reads the access width out of the modifiers; 4 bytes if they name none.
func width(modifiers string) uint32 {
	for m := range strings.SplitSeq(modifiers, ".") {
		switch m {
		case "U8", "S8", "8":
			return 1
		case "U16", "S16", "16":
			return 2
		case "64", "F64", "U64", "S64", "F16x4":
			return 8
		case "128":
			return 16
		case "256":
			return 32
		}
	}
	return 4
}

// bypasses reports whether the modifiers make an access go past the L1: a strong
// access of more than the SM. A bare .SYS, which Volta's loads carry, does not.
func bypasses(modifiers string) bool {
	strong, wide := false, false
	for m := range strings.SplitSeq(modifiers, ".") {
		switch m {
		case "CG", "CV", "MMIO", "VOLATILE":
			return true
		case "STRONG":
			strong = true
		case "GPU", "SYS":
			wide = true
		}
	}
	return strong && wide
}

const (
	load   = trace.InstLoad
	store  = trace.InstStore
	atomic = trace.InstLoad | trace.InstStore | trace.InstAtomic
	bulk   = trace.InstBulk
)

// memory are the instructions that access memory. Generic accesses count as
// global; surfaces as texture.
var memory = map[string]Opcode{
	"LD": {Space: trace.SpaceGlobal, Flags: load}, "LDG": {Space: trace.SpaceGlobal, Flags: load},
	"LDGSTS": {Space: trace.SpaceGlobal, Flags: load}, "LDGMC": {Space: trace.SpaceGlobal, Flags: load},
	"ST": {Space: trace.SpaceGlobal, Flags: store}, "STG": {Space: trace.SpaceGlobal, Flags: store},
	"ATOM": {Space: trace.SpaceGlobal, Flags: atomic}, "ATOMG": {Space: trace.SpaceGlobal, Flags: atomic},
	"RED": {Space: trace.SpaceGlobal, Flags: atomic}, "REDG": {Space: trace.SpaceGlobal, Flags: atomic},
	"LDS": {Space: trace.SpaceShared, Flags: load}, "LDSM": {Space: trace.SpaceShared, Flags: load},
	"STS": {Space: trace.SpaceShared, Flags: store}, "STSM": {Space: trace.SpaceShared, Flags: store},
	"STAS": {Space: trace.SpaceShared, Flags: store}, "ATOMS": {Space: trace.SpaceShared, Flags: atomic},
	"REDS": {Space: trace.SpaceShared, Flags: atomic}, "REDAS": {Space: trace.SpaceShared, Flags: atomic},
	"LDL": {Space: trace.SpaceLocal, Flags: load}, "STL": {Space: trace.SpaceLocal, Flags: store},
	"LDC": {Space: trace.SpaceConstant, Flags: load}, "LDCU": {Space: trace.SpaceConstant, Flags: load},
	"ULDC": {Space: trace.SpaceConstant, Flags: load}, "TXD": {Space: trace.SpaceTexture, Flags: load},
	"TEX": {Space: trace.SpaceTexture, Flags: load}, "TEXS": {Space: trace.SpaceTexture, Flags: load},
	"TLD": {Space: trace.SpaceTexture, Flags: load}, "TLDS": {Space: trace.SpaceTexture, Flags: load},
	"TLD4": {Space: trace.SpaceTexture, Flags: load}, "TLD4S": {Space: trace.SpaceTexture, Flags: load},
	"TMML": {Space: trace.SpaceTexture, Flags: load}, "TXQ": {Space: trace.SpaceTexture, Flags: load},
	"SULD": {Space: trace.SpaceTexture, Flags: load}, "SUST": {Space: trace.SpaceTexture, Flags: store},
	"SUATOM": {Space: trace.SpaceTexture, Flags: atomic}, "SURED": {Space: trace.SpaceTexture, Flags: atomic},
	"UTMALDG": {Space: trace.SpaceGlobal, Flags: load | bulk}, "UTMAPF": {Space: trace.SpaceGlobal, Flags: load | bulk},
	"UTMASTG":  {Space: trace.SpaceGlobal, Flags: store | bulk},
	"UTMAREDG": {Space: trace.SpaceGlobal, Flags: atomic | bulk},
	"UBLKCP":   {Space: trace.SpaceGlobal, Flags: load | bulk}, "UBLKPF": {Space: trace.SpaceGlobal, Flags: load | bulk},
	"UBLKRED": {Space: trace.SpaceGlobal, Flags: atomic | bulk},
}

// classes has the other instructions by class.
var classes = sync.OnceValue(func() map[string]trace.Class {
	classes := map[string]trace.Class{}
	for class, names := range map[trace.Class]string{
		trace.ClassFP32: `FADD FADD2 FADD32I FCHK FCMP FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP FSWZ
			FSWZADD RRO`,
		trace.ClassFP16:   "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2",
		trace.ClassFP64:   "DADD DFMA DMNMX DMUL DSET DSETP",
		trace.ClassSFU:    "MUFU",
		trace.ClassTensor: `BGMMA BMMA DMMA HGMMA HMMA IGMMA IMMA OMMA QGMMA QMMA UTCHMMA UTCIMMA UTCOMMA UTCQMMA`,
		trace.ClassInt: `BFE BFI BMSK BREV CS2R F2F F2FP F2I F2IP FLO FRND I2F I2FP I2I I2IP IABS IADD IADD3
			IADD32I ICMP IDP IDP4A CCTL CCTLL CCTLT LDGDEPBAR
			IMAD IMADSP IMNMX IMUL IMUL32I ISAD ISCADD ISCADD32I ISET ISETP LEA LOP LOP3 LOP32I MATCH MOV MOV32I MOVM
			NOP P2R PLOP3
			POPC PRMT PSET PSETP R2B R2P S2R SEL SGXT SHF SHFL SHL SHR VABSDIFF VABSDIFF4 VADD VHMNMX VIADD VIADDMNMX
			VIMNMX VIMNMX3 VMAD VMNMX
			VOTE XMAD B2R LEPC GETLMEMBASE SETLMEMBASE SETCTAID PMTRIG CSET CSETP REDUX CREDUX QSPC GETCRSPTR
			SETCRSPTR UGETNEXTWORKID`,
		trace.ClassUniform: `R2UR R2UP S2UR S2UP UBMSK UBREV UCLEA UF2F UF2FP UF2I UF2IP UFADD UFFMA UFLO UFMNMX
			UFMUL UFRND UFSEL UFSET UFSETP UI2F UI2FP UI2I UI2IP
			UIABS UIADD3 UIADD3_64 UIMAD UIMNMX UISETP ULEA ULEPC ULOP ULOP3 ULOP32I UMOV UMOV32I UP2UR UPLOP3 UPOPC
			UPRMT UPSETP UR2UP USEL USGXT USHF USHL
			USHR UVIADD UVIMNMX UVIRTCOUNT VOTEU USETMAXREG CS2UR`,
		trace.ClassControl: `ACQBULK ACQSHMINIT BMOV BPT BRA BREAK BRK BRX BRXU BSSY BSYNC CALL CONT ELECT ENDCOLLECTIVE IDE
			JCAL JMP JMX JMXU KILL LONGJMP NANOSLEEP PBK PCNT PEXIT PLONGJMP PREEXIT PRET RET RPCMOV RTT SSY SYNC
			UTMACCTL UTMACMDFLUSH UCGABAR_ARV UCGABAR_WAIT
			WARPGROUP WARPSYNC YIELD UBRA UBRX UJMP`,
		trace.ClassBarrier: "BAR",
		trace.ClassFence:   "ARRIVES DEPBAR ERRBAR FENCE MEMBAR SYNCS",
		trace.ClassExit:    "EXIT",
	} {
		for name := range strings.FieldsSeq(names) {
			classes[name] = class
		}
	}
	return classes
})
