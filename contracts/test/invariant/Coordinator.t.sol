// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PeerIds} from "../../src/libraries/PeerIds.sol";
import {CoordinatorFixture} from "../CoordinatorFixture.sol";
import {CoordinatorHandler} from "./CoordinatorHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract CoordinatorInvariants is CoordinatorFixture {
    CoordinatorHandler internal handler;

    function setUp() public override {
        super.setUp();
        string[] memory peerIds = new string[](4);
        for (uint256 i = 0; i < 4; ++i) {
            bytes memory publicKey = walletOf(i + 1).publicKey;
            peerIds[i] = PeerIds.ofSecp256k1(bytes32(publicKey), uint8(publicKey[63]) & 1 == 1);
        }
        handler = new CoordinatorHandler(registry, coordinator, peerIds);
        coordinator.grantRole(coordinator.STAGE_MANAGER_ROLE(), address(handler));
        targetContract(address(handler));
    }

    function invariant_C1_APeerIsOfWhoProvedItElseOfWhoClaimedIt() public view {
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            vm.assertEq(eoaOf(handler.peerIds(i)), handler.holderOf(i));
        }
    }

    function invariant_C2_APeerIsListedOnceUnderItsAccountAndNoOther() public view {
        uint256 listed = 0;
        uint256 held = 0;
        for (uint256 i = 0; i < handler.ACCOUNTS(); ++i) {
            string[] memory peerIds = peerIdsOf(handler.accountAt(i));
            listed += peerIds.length;
            for (uint256 j = 0; j < peerIds.length; ++j) vm.assertEq(eoaOf(peerIds[j]), handler.accountAt(i));
        }
        for (uint256 i = 0; i < handler.PEERS(); ++i) if (handler.holderOf(i) != address(0)) ++held;
        vm.assertEq(listed, held);
    }

    function invariant_C3_TotalsAreTheSumOfWhatWasReported() public view {
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            vm.assertTrue(totalOf(handler.peerIds(i)) == handler.total(i));
            vm.assertEq(coordinator.getTotalWins(handler.peerIds(i)), handler.wins(i));
        }
    }

    function invariant_C4_NobodyReportsTwiceOrForAnothersPeer() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_C5_ClaimsNeverReachRegistryOrPoints() public view {
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            bytes32 peerKey = keccak256(bytes(handler.peerIds(i)));
            vm.assertEq(registry.accountOf(peerKey), handler.prover(i));
            vm.assertEq(votes.points(peerKey), 0);
        }
    }

    function invariant_R3_ManualRoundsAreTheCoordinators() public view {
        vm.assertEq(coordinator.currentRound(), rounds.currentRound());
    }
}
