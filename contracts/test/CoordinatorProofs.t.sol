// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Rounds} from "../src/Rounds.sol";
import {ISwarmCoordinator} from "../src/interfaces/ISwarmCoordinator.sol";
import {AccountContract} from "./AccountContract.sol";
import {CoordinatorFixture} from "./CoordinatorFixture.sol";
import {Vm} from "./TestBase.sol";

/// @dev Where the coordinator differs from RL Swarm's: proofs go before claims, and computed rounds move by
/// themselves.
contract CoordinatorProofsTest is CoordinatorFixture {
    string internal constant PEER_ID_OF_ONE = "16Uiu2HAm3cuhhRL2msUuLF62KRSfneFDx94RsuouyW25Ho42cFMq";

    function test_AProofDisplacesAClaim() public {
        claim(BOB, "mine");
        claim(BOB, PEER_ID_OF_ONE);
        report(BOB, 0, 0, 9, PEER_ID_OF_ONE);
        enrol(1, ALICE);
        vm.assertEq(eoaOf(PEER_ID_OF_ONE), ALICE);
        vm.assertEq(peerIdsOf(ALICE).length, 1);
        vm.assertEq(peerIdsOf(ALICE)[0], PEER_ID_OF_ONE);
        vm.assertEq(peerIdsOf(BOB).length, 1);
        vm.assertEq(peerIdsOf(BOB)[0], "mine");
        coordinator.updateStageAndRound();
        expectError(ISwarmCoordinator.InvalidVoterPeerId.selector);
        report(BOB, 1, 0, 9, PEER_ID_OF_ONE);
        expectError(ISwarmCoordinator.InvalidVoterPeerId.selector);
        nameWinners(BOB, 1, list("x"), PEER_ID_OF_ONE);
        report(ALICE, 1, 0, 1, PEER_ID_OF_ONE);
        nameWinners(ALICE, 1, list("x"), PEER_ID_OF_ONE);
        vm.assertTrue(totalOf(PEER_ID_OF_ONE) == 10);
    }

    function test_RevertWhen_AProvenIdIsClaimed() public {
        enrol(1, ALICE);
        expectError(ISwarmCoordinator.PeerIdAlreadyRegistered.selector);
        claim(BOB, PEER_ID_OF_ONE);
        expectError(ISwarmCoordinator.PeerIdAlreadyRegistered.selector);
        claim(ALICE, PEER_ID_OF_ONE);
    }

    function test_AnIdThatIsClaimedAndProvenIsListedOnceAndInPlace() public {
        claim(ALICE, PEER_ID_OF_ONE);
        claim(ALICE, "two");
        enrol(2, ALICE);
        enrol(1, ALICE);
        vm.assertEq(peerIdsOf(ALICE).length, 3);
        vm.assertEq(peerIdsOf(ALICE)[0], PEER_ID_OF_ONE);
        vm.assertEq(peerIdsOf(ALICE)[1], "two");
        // Its key moves it away, and the claim does not bring it back.
        enrol(1, BOB);
        vm.assertEq(peerIdsOf(ALICE).length, 2);
        vm.assertEq(peerIdsOf(ALICE)[0], "two");
        vm.assertEq(peerIdsOf(BOB)[0], PEER_ID_OF_ONE);
    }

    function test_NothingIsEverWrittenToTheRegistry() public {
        claim(ALICE, PEER_ID_OF_ONE);
        vm.assertEq(registry.accountOf(keccak256(bytes(PEER_ID_OF_ONE))), address(0));
        vm.assertEq(registry.peerCount(ALICE), 0);
    }

    function test_AnAccountMayBeAContract() public {
        AccountContract wallet = new AccountContract(address(this));
        wallet.execute(address(coordinator), abi.encodeCall(coordinator.registerPeer, ("one")));
        vm.assertEq(eoaOf("one"), address(wallet));
        wallet.execute(address(coordinator), abi.encodeCall(coordinator.submitWinners, (0, list("x"), "one")));
        vm.assertEq(coordinator.getVoterVoteCount("one"), 1);
    }

    function test_AComputedScheduleIsAnnouncedOnceARound() public {
        compute();
        vm.warp(START + 3 * LENGTH);
        vm.assertEq(coordinator.currentRound(), 3);
        vm.recordLogs();
        (uint256 round, uint256 stage) = coordinator.updateStageAndRound();
        vm.assertEq(round, 3);
        vm.assertEq(stage, 0);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2);
        vm.assertEq(logs[0].topics[0], ISwarmCoordinator.RoundAdvanced.selector);
        vm.assertEq(logs[1].topics[0], ISwarmCoordinator.StageAdvanced.selector);
        vm.assertEq(uint256(logs[1].topics[1]), 3);
        vm.recordLogs();
        (round, ) = coordinator.updateStageAndRound();
        vm.assertEq(round, 3);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(rounds.currentRound(), 3);
        vm.warp(START + 4 * LENGTH);
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.RoundAdvanced(4);
        coordinator.updateStageAndRound();
    }

    function test_RevertWhen_AComputedScheduleIsAnnouncedWithoutTheRole() public {
        compute();
        expectError(ISwarmCoordinator.OnlyStageManager.selector);
        vm.prank(ALICE);
        coordinator.updateStageAndRound();
    }

    function test_BeforeTheStartItIsRoundZero() public {
        compute();
        vm.warp(START - 1);
        vm.assertEq(coordinator.currentRound(), 0);
    }

    /// @dev Puts the coordinator on a computed schedule.
    function compute() internal {
        rounds = new Rounds(address(this), START, LENGTH, ENVIRONMENT);
        coordinator = deployCoordinator();
    }
}
